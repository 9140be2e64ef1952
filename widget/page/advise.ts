/** What the form has told the webmaster already. The form renders often, and says each sentence once. */
const said = new Set<string>();

/** Tells the webmaster, in the console, what to correct on the page. */
export function advise(sentence: string) {
  if (said.has(sentence)) return;
  said.add(sentence);
  console.error(`<lead-prequal-form>: ${sentence}`);
}
