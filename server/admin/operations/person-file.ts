/** Exports everything that is stored about a person, to answer a request to know. */
import {z} from 'zod';
import {idsOf, Refusal} from '../admin.ts';
import {showConsent, shownConsent} from '../consents.ts';
import {privacyRequest, toRequestRow} from '../privacy-requests.ts';
import {counted, dayOf} from '../words.ts';
import {consentLines} from './consents.ts';
import {reads} from './operation.ts';
import {isPerson, notesOf, personFields, searchPerson} from './person.ts';
import {leadLines, readShown, shownLine, type ShownLine} from './show-lead.ts';

const personLine = z.object({
  lead: shownLine,
  consent: shownConsent,
  requests: z.array(privacyRequest),
});
type PersonLine = Omit<z.infer<typeof personLine>, 'lead'> & {lead: ShownLine};

export const person = reads({
  words: 'leads person',
  what: 'everything about a person, in one file: leads, consents with their words, receivers, stops, requests',
  help: `Write it to a file that only you can read: umask 077; lead-prequal leads person --email - > person.txt`,
  past: 'read everything about the person of {it}',
  fields: personFields,
  wrong: (input) => (isPerson(input) ? undefined : 'name the person by --email or --phone'),
  line: personLine,
  counted: ['lead'],
  block: ({lead, consent, requests}: PersonLine) => [
    ...leadLines(lead),
    ['', ' '],
    ...consentLines(consent),
    ...requests.map(({kind, way, requested_at: at, due_at: due, ended_at: ended, answer}) => {
      const then = ended === null ? `due on ${dayOf(due)}` : `${answer}, on ${dayOf(ended)}`;
      return ['Asked', `to ${kind}, by ${way}, on ${dayOf(at)}: ${then}`] as const;
    }),
  ],
  async *read(admin, input, isForPrograms) {
    const found = yield* searchPerson(admin, {}, input);
    const fails: string[] = [];
    for (const id of idsOf([...found.found, ...found.kept]).toSorted()) {
      try {
        const {line, ...shown} = await readShown(admin, id, isForPrograms);
        fails.push(...shown.fails);
        const consent = await showConsent(admin, id);
        const requests = (await admin.store.requests({lead: id})).map((one) =>
          toRequestRow(one, consent.partner),
        );
        yield [{lead: line, consent, requests}];
      } catch (error) {
        // A lead that is damaged: the file has all others.
        if (!(error instanceof Refusal)) throw error;
        fails.push(error.message);
      }
    }
    const unaddressed = input.phone === undefined ? await admin.store.keptWithoutAddress() : 0;
    const lacking = `${counted(unaddressed, 'consent that is', 'consents that are')} kept of erased leads cannot be found by an e-mail address, because version 1.6 kept none: ask for the telephone number.`;
    return {remarks: [...notesOf(admin, found), ...(unaddressed > 0 ? [lacking] : [])], fails};
  },
});
