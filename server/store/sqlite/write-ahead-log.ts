/**
 * Checks the write-ahead log (-wal) of a database before SQLite reads it. SQLite reads the log up to the first frame
 * with a wrong checksum and drops the rest without an error, because a commit that a crash interrupted looks like that.
 * But if a frame was damaged later, the commits after it were acknowledged, and SQLite would drop and overwrite them.
 */
import {closeSync, openSync, readSync} from 'node:fs';

/** The sizes of the headers of the log and of a frame, in bytes. */
const [logHeader, frameHeader] = [32, 24];
const magicNumbers = [0x377f0682, 0x377f0683];

/**
 * A commit returns when it is safe on the disk, so a crash leaves at most one incomplete commit. If more commits follow
 * a wrong checksum, the log is damaged.
 */
const maxIncompleteCommits = 1;

/**
 * A server that is writing to the log can make it look damaged. So the log is read up to this many times, and counts as damaged
 * only if two reads in a row find the same.
 */
const maxReads = 3;

/**
 * @param path of the main file, which holds the page size
 * @returns the byte of the log after which commits are lost; undefined if the log is not damaged
 */
export function findLogDamage(path: string): number | undefined {
  const pageSize = pageSizeOf(path);
  if (pageSize === undefined) return undefined;
  let before: string | undefined;
  for (let reads = 0; reads < maxReads; reads += 1) {
    const found = readLog(`${path}-wal`, pageSize);
    if (!found) return undefined;
    const now = `${found.salts} ${found.end}`;
    if (now === before) return found.end;
    before = now;
  }
  return undefined;
}

/** @returns undefined if there is no log: the last process that closes the database deletes it */
function openLog(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** If the log looks damaged: the end of the frames that SQLite would read, and the salts, which identify the log. Else undefined. */
function readLog(logPath: string, pageSize: number): {salts: string; end: number} | undefined {
  const file = openLog(logPath);
  if (file === undefined) return undefined;
  try {
    const header = Buffer.alloc(logHeader);
    if (readSync(file, header, 0, logHeader, 0) < logHeader) return undefined;
    const isBigEndian = header.readUInt32BE(0) === magicNumbers[1];
    let sums = checksum(header.subarray(0, 24), isBigEndian, [0, 0]);
    let isWhole = magicNumbers.includes(header.readUInt32BE(0)) && isSum(header, 24, sums);
    let end = isWhole ? logHeader : 0;
    let lostCommits = 0;
    const frame = Buffer.alloc(frameHeader + pageSize);
    // If the header is damaged, the salts are read from the first frame.
    if (!isWhole) readSync(file, frame, 0, frame.length, logHeader);
    const salts = isWhole ? header.toString('hex', 16, 24) : frame.toString('hex', 8, 16);
    for (
      let at = logHeader;
      readSync(file, frame, 0, frame.length, at) === frame.length;
      at += frame.length
    ) {
      // SQLite reuses the file. Frames that are left from an earlier use have other salts.
      const isOfThisLog = frame.toString('hex', 8, 16) === salts;
      if (isWhole && isOfThisLog) {
        sums = checksum(frame.subarray(0, 8), isBigEndian, sums);
        sums = checksum(frame.subarray(frameHeader), isBigEndian, sums);
        if (isSum(frame, 16, sums)) {
          end = at + frame.length;
          continue;
        }
      }
      isWhole = false;
      // The last frame of a commit holds the number of pages; the other frames hold 0.
      if (isOfThisLog && frame.readUInt32BE(4) > 0) lostCommits += 1;
    }
    return lostCommits > maxIncompleteCommits ? {salts, end} : undefined;
  } finally {
    closeSync(file);
  }
}

/** The first 20 bytes of a main file. Undefined if it is shorter. */
export function readHeader(path: string): Buffer | undefined {
  const header = Buffer.alloc(20);
  const file = openSync(path, 'r');
  const length = readSync(file, header, 0, header.length, 0);
  closeSync(file);
  return length < header.length ? undefined : header;
}

function pageSizeOf(path: string): number | undefined {
  const size = readHeader(path)?.readUInt16BE(16);
  return size === 1 ? 65_536 : size;
}

type Sums = readonly [number, number];

/** Continues SQLite's checksum, which runs over all frames: https://sqlite.org/fileformat2.html#checksum_algorithm */
function checksum(bytes: Buffer, isBigEndian: boolean, [first, second]: Sums): Sums {
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + second) >>> 0;
    second = (second + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + first) >>> 0;
  }
  return [first, second];
}

const isSum = (bytes: Buffer, at: number, [first, second]: Sums) =>
  bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second;
