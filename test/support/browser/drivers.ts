/**
 * What the drivers of the engines cannot do. The driver of WebKit does not size the window, hold a key down or press the same
 * key twice in a row, so tests that need one of these are not defined there. They would also be counted as failed if they were skipped.
 */
const isChromium = /Chrome/.test(navigator.userAgent);
const isWebKit = /AppleWebKit/.test(navigator.userAgent) && !/Chrome/.test(navigator.userAgent);

type Define = (title: string, body: () => void | Promise<void>) => void;
const leaveOut: Define = () => {};

/** Defines a test, but not in WebKit. */
export const itExceptWebKit: Define = isWebKit ? leaveOut : it;

/** Defines tests, but not in WebKit. */
export const describeExceptWebKit: Define = isWebKit ? leaveOut : describe;

/** Defines tests of what a press of Tab scrolls to: the driver of Firefox says that a key is pressed before that is so. */
export const describeInChromium: Define = isChromium ? describe : leaveOut;
