/** Hours in which a lead may be called, typed from the sources by somebody who has not seen the product's table. `null`: no calls. */
type Figures = {
  weekdays: readonly [number, number];
  saturday: readonly [number, number] | null;
  sunday: readonly [number, number] | null;
};

/** The states and territories in which every day has the same hours. */
const fromEightToEight = `AK AZ AR CA CO DE FL GA HI ID IL IN IA KS ME MD MA MO MT NE NH NJ NY NC ND OH OK OR SC TN VT VA WA
  WV WI WY DC AS GU MP VI`;

export const figures: Readonly<Record<string, Figures>> = {
  ...Object.fromEntries(
    fromEightToEight
      .split(/\s+/)
      .map((state) => [state, {weekdays: [8, 20], saturday: [8, 20], sunday: [8, 20]}]),
  ),
  AL: {weekdays: [8, 20], saturday: [8, 20], sunday: null},
  CT: {weekdays: [9, 20], saturday: [9, 20], sunday: [9, 20]},
  KY: {weekdays: [10, 20], saturday: [10, 20], sunday: [10, 20]},
  LA: {weekdays: [8, 20], saturday: [8, 20], sunday: null},
  MI: {weekdays: [9, 20], saturday: [9, 20], sunday: [9, 20]},
  MN: {weekdays: [9, 20], saturday: [9, 20], sunday: [9, 20]},
  MS: {weekdays: [9, 20], saturday: [9, 20], sunday: null},
  NV: {weekdays: [9, 20], saturday: [9, 20], sunday: [9, 20]},
  NM: {weekdays: [9, 20], saturday: [9, 20], sunday: [9, 20]},
  PA: {weekdays: [9, 19], saturday: [9, 19], sunday: null},
  RI: {weekdays: [9, 18], saturday: [10, 17], sunday: null},
  SD: {weekdays: [9, 20], saturday: [9, 20], sunday: null},
  TX: {weekdays: [9, 20], saturday: [9, 20], sunday: [12, 20]},
  UT: {weekdays: [8, 20], saturday: [8, 20], sunday: null},
  PR: {weekdays: [9, 20], saturday: [9, 20], sunday: [9, 20]},
};
