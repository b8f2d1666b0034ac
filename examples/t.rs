use ktour::board::*; use ktour::heuristic::solve::*; use ktour::heuristic::*;
fn ok(r:u16,c:u16,t:&[u32],w:Want)->bool{ let b=Board::new(r,c).unwrap(); let sq:Vec<Square>=t.iter().map(|&v| Square::new((v as usize%c as usize) as u16,(v as usize/c as usize) as u16)).collect();
 if let Some(s)=w.start { if t[0] as usize!=s {return false}} if let Some(s)=w.end { if *t.last().unwrap() as usize!=s {return false}}
 if w.closed {ktour::tour::Tour::new_closed(b.clone(),Leaper::KNIGHT,sq).is_ok()} else {ktour::tour::Tour::new(b.clone(),Leaper::KNIGHT,sq).is_ok()} }
fn main(){ let t=std::time::Instant::now();
 for r in 5..=30u16 { for c in 5..=30u16 { 
  for closed in [false,true]{ if closed && r%2==1&&c%2==1 {continue}
  let want=Want{closed,..Default::default()};
  match blocks::build(r as usize,c as usize,want,1) {Some(t)=>assert!(ok(r,c,&t,want),"{r}x{c} {t:?}"),None=>println!("{r}x{c} {closed} fail")}
 }}} println!("{:?}",t.elapsed());
 let t=std::time::Instant::now();
 for (r,c) in [(5u16,5u16),(5,7),(5,12),(5,13),(7,7),(11,11),(12,12),(13,13),(13,17),(17,23)] { let n=(r*c) as usize;
   for s in 0..n { if n%2==1 && (s/c as usize+s%c as usize)%2==1 {continue} let want=Want{start:Some(s),..Default::default()};
  match blocks::build(r as usize,c as usize,want,1) {Some(t)=>assert!(ok(r,c,&t,want),"{r}x{c} {t:?}"),None=>println!("{r}x{c} {s} fail")} } }
 println!("{:?}",t.elapsed());
 let t=std::time::Instant::now(); let mut cnt=0; let mut fails=0; let mut rng=Rng::new(5);
 for k in 0..600 { let r=6+rng.below(40) as u16; let c=6+rng.below(40) as u16; let n=r as usize*c as usize; let (s,e)=(rng.below(n),rng.below(n)); 
   let p=|s:usize| (s/c as usize+s%c as usize)%2; if n%2==1 {if p(s)==1||p(e)==1||s==e {continue}} else if p(s)==p(e) {continue}
   let want=Want{start:Some(s),end:Some(e),..Default::default()}; cnt+=1; let t=std::time::Instant::now();
   match blocks::build(r as usize,c as usize,want,k) {Some(t)=>assert!(ok(r,c,&t,want),"{r}x{c} {t:?}"),None=>{fails+=1;println!("{r}x{c} {s} {e} fail {:?}",t.elapsed())}} }
 println!("{cnt} {fails} {:?}",t.elapsed());
 for n in [1000u16,2000,3000] { for want in [Want{closed:true,..Default::default()},Want{start:Some(0),end:Some(n as usize*n as usize-2),..Default::default()}] { let t=std::time::Instant::now(); let x=blocks::build(n as usize,n as usize,want,1); println!("{n} {:?}",t.elapsed()); if let Some(x)=x {assert!(ok(n,n,&x,want))} else {println!("fail")} }}
}
