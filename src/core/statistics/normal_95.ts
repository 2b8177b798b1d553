/** Quantile of the normal distribution that 2.5 % of it exceed: half the width of a 95 % interval. */
export const NORMAL_95 = 1.959963984540054;
