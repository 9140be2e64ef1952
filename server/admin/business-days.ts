/** Business days in the United States: Monday to Friday, without the federal holidays (5 U.S.C. 6103). */
import {midnight} from './words.ts';

/** Month and day. One that falls on a Saturday is observed on the Friday before, one on a Sunday on the Monday after. */
const fixedHolidays = ['1-1', '6-19', '7-4', '11-11', '12-25'];
/** Month, day of the week (1 is Monday), and its number within the month. */
const movingHolidays = ['1-1-3', '2-1-3', '5-1-last', '9-1-1', '10-1-2', '11-4-4'];

function isBusinessDay(time: number): boolean {
  const date = new Date(time);
  const [month, day, weekday] = [date.getMonth() + 1, date.getDate(), date.getDay()];
  if (weekday === 0 || weekday === 6) return false;
  const isFixed = (days: number) => {
    const other = new Date(midnight(time, days));
    return fixedHolidays.includes(`${other.getMonth() + 1}-${other.getDate()}`);
  };
  if (isFixed(0) || (weekday === 5 && isFixed(1)) || (weekday === 1 && isFixed(-1))) return false;
  const isLast = new Date(midnight(time, 7)).getMonth() + 1 !== month;
  const which = [String(Math.ceil(day / 7)), ...(isLast ? ['last'] : [])];
  return !which.some((nth) => movingHolidays.includes(`${month}-${weekday}-${nth}`));
}

/** The midnight that begins the last of this many business days, in this machine's time zone. The day of `from` is not counted. */
export function businessDaysAfter(from: number, days: number): number {
  let time = midnight(from);
  for (let left = days; left > 0;) {
    time = midnight(time, 1);
    if (isBusinessDay(time)) left -= 1;
  }
  return time;
}

/** The number of business days between two times. The day of `until` is counted, the day of `from` is not. */
export function businessDaysBetween(from: number, until: number): number {
  let days = 0;
  for (let time = midnight(from, 1); time <= until; time = midnight(time, 1))
    if (isBusinessDay(time)) days += 1;
  return days;
}
