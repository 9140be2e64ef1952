/** The data folder of a history: its database, with triggers that note what happened, and what its files hold. */
import {copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {workerData} from 'node:worker_threads';
import {openCommits} from '../../server/store/sqlite/commits.ts';
import {makeFile} from '../../server/store/sqlite/files.ts';
import {personalOf} from './people.ts';
import {testEncryptor} from '../support/test-server.ts';

/** Where the files of the histories are. simulate.ts makes the folder, and removes it. */
const {folder} = workerData as {folder: string};
const template = join(folder, 'template.sqlite');
export const path = join(folder, 'leads.sqlite');
export const erasuresFile = join(folder, 'leads.sqlite-erasures');

/** Triggers that note changes that must never happen. They compare what is meant, and not how it is written. */
const triggers = `
  CREATE TABLE changes (words TEXT);
  CREATE TRIGGER done AFTER UPDATE ON leads WHEN OLD.status = 'done' AND NEW.erased_at IS NULL AND
      NEW.status <> 'done'
    BEGIN INSERT INTO changes VALUES ('the answer of ' || OLD.id || ' was done and changed'); END;
  CREATE TRIGGER answered_again AFTER UPDATE ON sealed WHEN NEW.part = 'answer' AND NEW.data_key = OLD.data_key
      AND NEW.blob <> OLD.blob AND EXISTS (SELECT 1 FROM leads WHERE id = NEW.lead_id AND status = 'done')
    BEGIN INSERT INTO changes VALUES ('the answer of ' || NEW.lead_id || ' was done and changed'); END;
  CREATE TRIGGER lead_gone AFTER DELETE ON leads
    BEGIN INSERT INTO changes VALUES ('the lead ' || OLD.id || ' was deleted'); END;
  CREATE TRIGGER delivery_gone AFTER DELETE ON deliveries
    BEGIN INSERT INTO changes VALUES ('the delivery of ' || OLD.lead_id || ' to ' || OLD.destination || ' was deleted'); END;
  CREATE TRIGGER remote_id AFTER UPDATE ON deliveries
    WHEN OLD.remote_id IS NOT NULL AND NEW.remote_id IS NOT OLD.remote_id
    BEGIN INSERT INTO changes VALUES ('the id of ' || OLD.lead_id || ' at ' || OLD.destination || ' changed'); END;
  CREATE TRIGGER delivered AFTER UPDATE ON deliveries
    WHEN OLD.state = 'delivered' AND NEW.state <> 'delivered' AND OLD.content = 'lead'
    BEGIN INSERT INTO changes VALUES ('the lead ' || OLD.lead_id || ' was delivered to ' || OLD.destination || ', and is not'); END;
  CREATE TABLE erasures (lead TEXT, erased_at INTEGER, leased_until INTEGER);
  CREATE TRIGGER erased AFTER UPDATE ON leads WHEN OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL
    BEGIN INSERT INTO erasures SELECT NEW.id, NEW.erased_at, MAX(leased_until) FROM deliveries
      WHERE lead_id = NEW.id AND content NOT IN ('erased', 'revoked'); END;
  CREATE TABLE tellings (lead TEXT, destination TEXT, content TEXT, leased_until INTEGER,
    PRIMARY KEY (lead, destination, content));
  CREATE TRIGGER told AFTER UPDATE ON deliveries
    WHEN NEW.content IN ('erased', 'revoked') AND NEW.leased_until > OLD.leased_until
    BEGIN INSERT OR IGNORE INTO tellings SELECT NEW.lead_id, NEW.destination, NEW.content, MAX(leased_until)
      FROM deliveries WHERE lead_id = NEW.lead_id AND content NOT IN ('erased', 'revoked'); END;
  CREATE TRIGGER revocation_gone AFTER UPDATE ON leads WHEN OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NULL
    BEGIN INSERT INTO changes VALUES ('that the consent of ' || OLD.id || ' was revoked is forgotten'); END;
  CREATE TRIGGER suppression_gone AFTER DELETE ON suppressed
    BEGIN INSERT INTO changes VALUES ('that a number is suppressed for ' || OLD.scope || ' is forgotten'); END;
  CREATE TRIGGER erased_changes AFTER UPDATE ON leads WHEN OLD.erased_at IS NOT NULL AND NEW.revoked_at IS OLD.revoked_at
    BEGIN INSERT INTO changes VALUES ('the lead ' || OLD.id || ' was erased and changed'); END;
  CREATE TRIGGER erased_returns AFTER INSERT ON sealed
    WHEN NEW.part <> 'consent' AND EXISTS (SELECT 1 FROM leads WHERE id = NEW.lead_id AND erased_at IS NOT NULL)
    BEGIN INSERT INTO changes VALUES ('of the lead ' || NEW.lead_id || ', which was erased, ' || NEW.part || ' was stored'); END;
  CREATE TRIGGER joins_erased AFTER INSERT ON leads
    WHEN EXISTS (SELECT 1 FROM leads WHERE id = NEW.duplicate_of AND erased_at IS NOT NULL)
    BEGIN INSERT INTO changes VALUES ('the lead ' || NEW.id || ' counts as a duplicate of one that was erased'); END;`;

/** Makes a file with all tables, of which each history gets a copy. That data is in clear is noted by the first start. */
function makeTemplate() {
  makeFile(template);
  openCommits(template, testEncryptor).close();
  const database = new DatabaseSync(template);
  database.exec(triggers);
  database.close();
}

/** Removes what the history before left behind, and makes an empty database. */
export function beginFiles() {
  if (!existsSync(template)) makeTemplate();
  for (const file of filesOf()) rmSync(join(folder, file));
  copyFileSync(template, path);
}

const filesOf = () => readdirSync(folder).filter((file) => file.startsWith('leads.sqlite'));

/** Where copies of the database are, of which nobody is erased. */
const backup = (name: string) => join(folder, `backup-${name}.sqlite`);
/** Makes a copy of the database, as a backup does. */
export function backUp(name: string) {
  rmSync(backup(name), {force: true});
  const database = new DatabaseSync(path);
  database.exec(`VACUUM INTO '${backup(name)}'`);
  database.close();
}
/** Puts a copy in the place of the database, which no process may have open. The file of erasures stays. */
export function restore(name: string) {
  for (const file of filesOf().filter((one) => !join(folder, one).startsWith(erasuresFile)))
    rmSync(join(folder, file));
  copyFileSync(backup(name), path);
}

const linesOfErasures = () =>
  existsSync(erasuresFile) ? readFileSync(erasuresFile, 'utf8').split('\n') : [];
/** How many lines of the file of erasures presses of this link have written. */
export const linesOfLink = (lead: string) =>
  linesOfErasures().filter((line) => line.includes(' way=link') && line.includes(`lead=${lead}`)).length;
/** An operator takes lines out of the file of erasures that another store has written. */
export const takeOutErasures = (isForeign: (line: string) => boolean) =>
  writeFileSync(
    erasuresFile,
    linesOfErasures()
      .filter((line) => !isForeign(line))
      .join('\n'),
  );

/** Looks at the database itself, which takes no time and disturbs nobody. */
export function rowsOf(query: string) {
  const database = new DatabaseSync(path, {readOnly: true});
  const rows = database.prepare(query).all();
  database.close();
  return rows;
}

/** Which personal data of these contents stands in any file of the data folder, as `<what> <content>`. */
export function findPersonal(contents: Iterable<number>): string[] {
  const files = filesOf().map((file) => readFileSync(join(folder, file)));
  return [...contents].flatMap((content) =>
    Object.entries(personalOf(content)).flatMap(([what, text]) =>
      files.some((file) => file.includes(text)) ? [`${what} ${content}`] : [],
    ),
  );
}
