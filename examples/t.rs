use ktour::board::*; use ktour::heuristic::solve::*; use ktour::heuristic::strip::*;
fn ok(r:u16,c:u16,t:&[u32],w:Want)->bool{ let b=Board::new(r,c).unwrap(); let sq:Vec<Square>=t.iter().map(|&v| Square::new((v as usize/r as usize) as u16,(v as usize%r as usize) as u16)).collect();
 if let Some(s)=w.start { if t[0] as usize!=s {return false}} if let Some(s)=w.end { if *t.last().unwrap() as usize!=s {return false}}
 if w.closed {ktour::tour::Tour::new_closed(b.clone(),Leaper::KNIGHT,sq).is_ok()} else {ktour::tour::Tour::new(b.clone(),Leaper::KNIGHT,sq).is_ok()} }
fn main(){ 
 for r in 2..=4u16 { for c in 2..=60u16 { if r==6 && c>8 && c%20!=0 {continue}
  for closed in [false,true]{ let t=std::time::Instant::now();
  let want=Want{closed,..Default::default()};
  let s=solve_strip(r as usize,c as usize,want);
  let d=t.elapsed();
  let w=match &s {Solved::Tour(_)=>"tour",Solved::Impossible=>"none",_=>"gaveup"};
  if let Solved::Tour(t)=&s { assert!(ok(r,c,t,want),"{r}x{c} {t:?}"); }
  if false {println!("{r}x{c} closed={closed} {w} {d:?}");}
 }}}
 // ends against the solver
 for (r,c) in [(3u16,4u16),(3,7),(3,8),(4,5),(4,6),(4,7)] { let n=(r*c) as usize;
  let b=Board::new(c,r).unwrap(); let g=Graph::new(&b,Leaper::KNIGHT); // transposed: rank=col
  let mut yes=0;
  for s in 0..n { for t in (0..n).map(Some).chain([None]) { if Some(s)==t {continue} let want=Want{start:Some(s),end:t,..Default::default()};
    let a=solve_strip(r as usize,c as usize,want); let e=solve(&g,want,1,1_000_000);
    if let Solved::Tour(t)=&a { assert!(ok(r,c,t,want)); yes+=1; } if let Solved::Tour(t)=&e { assert!(ok(r,c,t,want)); }
    assert_eq!(matches!(a,Solved::Tour(_)),matches!(e,Solved::Tour(_)),"{r}x{c} {want:?}");
  }} println!("{r}x{c} {yes}"); }
 for (r,c) in [(3,65535),(4,65535),(5,60000)] { let t=std::time::Instant::now(); for e in [1000,1001] { let s=solve_strip(r,c,Want{start:Some(0),end:Some(e),..Default::default()}); println!("{r}x{c} {} {:?}",matches!(s,Solved::Tour(_)),t.elapsed()); } }
}
