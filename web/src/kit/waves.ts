/** Two waves: the sign of water on any map, in a square of 64. */
export const WAVES = 'M-24 -9 q6 -7 12 0 t12 0 t12 0 M-10 10 q6 -7 12 0 t12 0 t12 0'
