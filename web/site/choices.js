// The choices on the page, and the names that it shows for those of the engine.

export const PIECES = { '1,2': 'Knight', '0,1+1,1': 'King', '0,1': 'Wazir (one step straight)', '1,3': 'Camel (1, 3)',
  '2,3': 'Zebra (2, 3)', '1,4': 'Giraffe (1, 4)', '0,1+1,1+1,2': 'Centaur (king and knight)' };
export const WRAPS = { none: 'Plain', cols: 'Left and right joined', rows: 'Top and bottom joined', torus: 'Torus',
  mobius: 'M\u00f6bius strip', klein: 'Klein bottle', projective: 'Projective plane' };
export const TABS = { count: 'Count', tours: 'Tours', heat: 'Heat map', walk: 'Walk', check: 'Check' };
export const KINDS = { closed: 'Closed tours', open: 'Open tours', paths: 'All paths' };
/** The choices of each list, by its id, which is also its key in the state. The first choice is the default. */
export const CHOICES = {
  piece: PIECES, wrap: WRAPS, 'count-kind': { all: 'All kinds', ...KINDS },
  'tours-kind': { closed: KINDS.closed, paths: KINDS.paths }, 'heat-kind': KINDS,
  'walk-kind': { paths: 'Any tour: visit every square', closed: 'A closed tour: back to the start' },
  symmetry: { '': 'All tours', rot180: 'With a half-turn symmetry', rot90: 'With a quarter-turn symmetry',
    axial: 'With a mirror symmetry' },
};
export const CLASSES = { asymmetric: 'no symmetry', axial: 'a mirror symmetry', diagonal: 'a diagonal mirror symmetry',
  'rot180 eulerian': 'a half-turn symmetry (same direction)', 'rot180 bergholtian': 'a half-turn symmetry (reversed direction)',
  rot180: 'a half-turn symmetry', rot90: 'a quarter-turn symmetry', several: 'several symmetries' };
export const TOUR_KINDS = { closed: 'a closed tour', open: 'an open tour', 're-entrant': 'a re-entrant tour (its ends are a move apart)' };
