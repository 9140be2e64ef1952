/** Tells the second half of a double click or double tap on a button, which its visitor did not mean. */

/** Milliseconds between the two taps of a double tap, at most. */
const doubleTap = 500;

export class DoublePress {
  /** `timeStamp` of the last press. */
  #pressedAt = -Infinity;

  /**
   * All browsers count the clicks of a mouse, but not all count the taps of a finger. Two deliberate presses count,
   * however fast they are: those of the keyboard, and of a program.
   */
  isSecondHalf({detail, pointerType, timeStamp}: PointerEvent): boolean {
    const isTap = pointerType === 'touch' && timeStamp - this.#pressedAt < doubleTap;
    this.#pressedAt = timeStamp;
    return detail > 1 || isTap;
  }
}
