// The choices on the page, and the names that it shows for those of the engine. The first choice is the default.

export const TASKS = { count: 'Count', tours: 'Tours', heat: 'Heat map', walk: 'Walk', check: 'Check' };
export const PIECES = { '1,2': 'Knight', '0,1+1,1': 'King', '0,1': 'Wazir (one step straight)', '1,3': 'Camel (1, 3)',
  '2,3': 'Zebra (2, 3)', '1,4': 'Giraffe (1, 4)', '0,1+1,1+1,2': 'Centaur (king and knight)' };
export const WRAPS = { none: 'Plain', cols: 'Left and right joined', rows: 'Top and bottom joined', torus: 'Torus',
  mobius: 'M\u00f6bius strip', klein: 'Klein bottle', projective: 'Projective plane' };
export const KINDS = { closed: 'Closed tours', open: 'Open tours', paths: 'All paths' };
export const SYMMETRIES = { '': 'All tours', rot180: 'With a half-turn symmetry', rot90: 'With a quarter-turn symmetry',
  axial: 'With a mirror symmetry' };
const CLASSES = { asymmetric: 'no symmetry', axial: 'a mirror symmetry', diagonal: 'a diagonal mirror symmetry',
  'rot180 eulerian': 'a half-turn symmetry (same direction)',
  'rot180 bergholtian': 'a half-turn symmetry (reversed direction)', rot180: 'a half-turn symmetry',
  rot90: 'a quarter-turn symmetry', several: 'several symmetries' };
const TOUR_KINDS = { closed: 'a closed tour', open: 'an open tour',
  're-entrant': 'a re-entrant tour (its ends are a move apart)' };

/** Describes a tour of the engine, such as `a closed tour with no symmetry`. */
export function describeTour({ kind, symmetry, magic }) {
  const name = CLASSES[symmetry] ?? (symmetry ? 'symmetries of the board with joined edges' : 'unknown symmetry');
  return `${TOUR_KINDS[kind]} with ${name}${magic ? `; its numbers are ${magic}` : ''}`;
}
