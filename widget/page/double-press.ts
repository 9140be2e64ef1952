/** Recognizes the second half of a double click or double tap on a button, which the visitor did not mean. */

/** Milliseconds between the two taps of a double tap, at most. */
const doubleTap = 500;

export class DoublePress {
  /** `timeStamp` of the last press. */
  #pressedAt = -Infinity;

  /**
   * All browsers count the clicks of a mouse (`detail`), but not all count the taps of a finger. Presses of a key, and
   * those of a program, are never halves of a double click, however fast they are.
   */
  isSecondHalf({detail, pointerType, timeStamp}: PointerEvent): boolean {
    const isTap = pointerType === 'touch' && timeStamp - this.#pressedAt < doubleTap;
    this.#pressedAt = timeStamp;
    return detail > 1 || isTap;
  }
}
