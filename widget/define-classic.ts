/** The classic twin of define.ts: without exports, a plain script leaves no global variable on the page. */
import './define.ts';
