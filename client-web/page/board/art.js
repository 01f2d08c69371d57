// The pictures on pieces, drawn as paths of our own so that they look the same with every font.

/** Figures as strokes in a box of 40 by 60. @type {Readonly<Record<string, string>>} */
export const FIGURES = {
  0: "M20 4C-1 4-1 56 20 56S41 4 20 4Z",
  1: "M8 15 22 4V56",
  2: "M5 17C5-1 35 0 35 17 35 30 11 40 5 56H36",
  3: "M6 9C15-1 34 2 34 16 34 27 24 29 17 29 26 29 36 32 36 43 36 59 13 60 5 50",
  4: "M29 56V4L4 41H38",
  5: "M33 4H10L7 28C15 22 36 22 36 40 36 58 14 60 5 51",
  6: "M31 4C14 9 4 25 4 39 4 62 36 61 36 40 36 22 9 22 4 38",
  7: "M4 4H36C26 20 18 37 16 56",
  8: "M20 28C5 27 5 4 20 4S35 27 20 28C1 30 1 56 20 56S39 30 20 28Z",
  9: "M9 56C26 51 36 35 36 21 36-2 4-1 4 20 4 38 31 38 36 22",
};

/**
 * Glyphs of ranks without a figure, in a box of 60 by 60: what is filled, and what is a stroke.
 * @type {Readonly<Record<string, { fill?: string, line?: string }>>}
 */
export const GLYPHS = {
  // A round bomb with a fuse and a spark.
  B: {
    fill: "M26 18a20 20 0 1 0 .1 0ZM34 10l8-3 6 10-8 5Z",
    line: "M45 12C47 2 56 2 57 11",
  },
  // A pennant on its pole.
  F: { fill: "M16 5 52 17 16 32Z", line: "M14 4V57M6 57H23" },
  // An eye that watches.
  S: {
    fill: "M30 21a9.5 9.5 0 1 0 .1 0Z",
    line: "M3 31C14 11 46 11 57 31 46 50 14 50 3 31Z",
  },
  // A bird that rises from a flame.
  P: {
    fill: "M30 8c4 4 5 8 4 13 8 0 17-4 23-13 0 17-7 27-19 29 2 6 0 13-8 21-8-8-10-15-8-21C10 35 3 25 3 8c6 9 15 13 23 13-1-5 0-9 4-13Z",
  },
};

/** The outlines of the sides in a box of 100 by 100: a shield and a tower. */
export const SHAPES = {
  red: "M50 95C24 85 10 67 10 42V17Q10 12 15 12C28 12 39 9 47 5Q50 3.5 53 5C61 9 72 12 85 12Q90 12 90 17V42C90 67 76 85 50 95Z",
  blue: "M10 11Q10 7 14 7H24Q28 7 28 11V17H39V11Q39 7 43 7H57Q61 7 61 11V17H72V11Q72 7 76 7H86Q90 7 90 11V35L84 42V80L91 86V90Q91 95 86 95H14Q9 95 9 90V86L16 80V42L10 35Z",
};

/** Where the picture lies in a shape: its middle, and how high a figure is. */
export const MIDDLE = { red: { x: 50, y: 47 }, blue: { x: 50, y: 56 } };
