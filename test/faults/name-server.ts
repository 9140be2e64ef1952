/** A DNS server for a program that runs in a mount namespace of its own, where its resolv.conf names this server. */
import {createSocket} from 'node:dgram';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';

export type NameServer = {
  /** Runs a program that looks names up here, as a prefix of its command. It needs root. */
  command: readonly string[];
  /** The names that are asked for and not answered. */
  unanswered(): string[];
  /** Answers these names, and all later ones. */
  answerAll(): void;
  close(): Promise<void>;
};

/** resolv.conf has no place for a port, so the server has an address of its own on loopback. */
const [address, port] = ['127.0.53.53', 53];
/** The resolver asks once, and waits for the answer as long as it can wait: 30 seconds. */
const resolvConf = `nameserver ${address}\noptions timeout:30 attempts:1\n`;
const nsswitchConf = 'hosts: files dns\n';
const hide =
  'mount --bind "$1" /etc/resolv.conf && mount --bind "$2" /etc/nsswitch.conf && shift 2 && exec "$@"';

/**
 * All names are at 127.0.0.1.
 * @param folder for the files that hide those of the system
 * @param slow names that are not answered before `answerAll`
 */
export async function startNameServer(folder: string, slow: RegExp): Promise<NameServer> {
  const socket = createSocket('udp4');
  const waiting = new Map<() => void, string>();
  let isSlow = true;

  socket.on('message', (query, asker) => {
    const {name, end} = questionOf(query);
    const reply = replyTo(query, end);
    const answer = () => socket.send(reply, asker.port, asker.address);
    if (isSlow && slow.test(name)) waiting.set(answer, name);
    else answer();
  });
  socket.bind(port, address);
  await once(socket, 'listening');
  const [resolv, nsswitch] = [join(folder, 'resolv.conf'), join(folder, 'nsswitch.conf')];
  writeFileSync(resolv, resolvConf);
  writeFileSync(nsswitch, nsswitchConf);

  return {
    command: ['unshare', '--mount', 'sh', '-c', hide, 'sh', resolv, nsswitch],
    unanswered: () => [...new Set(waiting.values())],
    answerAll() {
      isSlow = false;
      for (const answer of waiting.keys()) answer();
      waiting.clear();
    },
    async close() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** The name that is asked for, and where the question ends. RFC 1035, section 4.1. */
function questionOf(query: Buffer): {name: string; end: number} {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {name: labels.join('.'), end: at + 5};
}

/** The address 127.0.0.1 for a question of type A. For any other type, the answer that there is none. */
function replyTo(query: Buffer, end: number): Buffer {
  const isForIpv4 = query.readUInt16BE(end - 4) === 1;
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8580, 2);
  header.writeUInt16BE(Number(isForIpv4), 6);
  header.writeUInt32BE(0, 8);
  const record = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([header, query.subarray(12, end), isForIpv4 ? record : Buffer.alloc(0)]);
}
