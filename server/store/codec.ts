/**
 * Converts personal data to the text of a column and back. The store uses one codec for all leads, consents and
 * attributions, so a codec that encrypts would encrypt all of them.
 */
export type Codec = {
  /**
   * @param leadId the lead of the record. A codec may bind the text to this id, so that no other lead can use the text
   */
  encode(record: object, leadId: string): string;
  /** @throws Error when the text was made for another lead */
  decode(text: string, leadId: string): object;
};

/** Does not encrypt: the text is JSON. */
export const clearText: Codec = {
  encode: (record) => JSON.stringify(record),
  decode: (text) => JSON.parse(text) as object,
};
