/**
 * A program that attacks one server over loopback for as long as it runs: `node attacker.ts <attack> <port>`.
 * It is a process of its own, so that what it costs does not slow down the honest clients of the test.
 */
import {connect, type Socket} from 'node:net';

const [, , attack = '', port = ''] = process.argv;
/** Milliseconds. Nothing runs for longer than this, even when the test forgets to end it. */
const longest = 30_000;

type Attack = {
  connections: number;
  /** What a new connection does. It may send for as long as the connection lives. */
  begin: (socket: Socket, number: number) => void;
};

const head = (text: string) => `${text} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
const script = `${head('GET /embed/v1/lead-prequal-form.js')}\r\n`;

/** Writes the same bytes for as long as the connection takes them. */
function pour(socket: Socket, bytes: Buffer) {
  const write = () => {
    while (socket.writable && socket.write(bytes));
  };
  socket.on('drain', write);
  write();
}

const megabyte = Buffer.alloc(1024 * 1024, 'x');
const chunk = Buffer.concat([Buffer.from('100000\r\n'), megabyte, Buffer.from('\r\n')]);
const json = 'Content-Type: application/json\r\n';
const tenGigabytes = `Content-Length: ${10 * 1024 ** 3}\r\n\r\n`;
const chunked = 'Transfer-Encoding: chunked\r\n\r\n';

const largeBodies = [
  [`${head('POST /json/leads')}${json}${tenGigabytes}`, megabyte],
  [`${head('POST /json/leads')}${json}${chunked}`, chunk],
  [`${head('POST /embed/v1/leads')}Origin: https://www.partner.example\r\n${json}${tenGigabytes}`, megabyte],
  [`${head('POST /embed/v1/leads')}Origin: https://www.partner.example\r\n${json}${chunked}`, chunk],
  [`${head('GET /health')}${tenGigabytes}`, megabyte],
  [`${head('POST /nowhere')}${chunked}`, chunk],
] as const;

const attacks: Record<string, Attack> = {
  /** A thousand requests each for the script, whose answers nobody reads. */
  pipelining: {
    connections: 300,
    begin(socket) {
      socket.pause();
      socket.write(script.repeat(1_000));
    },
  },
  /** As many requests as a connection may have under way, whose answers nobody reads. */
  unread: {
    connections: 1_000,
    begin(socket) {
      socket.pause();
      socket.write(script.repeat(10));
    },
  },
  idle: {connections: 2_500, begin: (socket) => void socket.resume()},
  /** Headers that come a byte at a time, often enough for no silence to be noticed. */
  drip: {
    connections: 2_500,
    begin(socket) {
      socket.write(head('GET /health'));
      const timer = setInterval(() => socket.write('X'), 500);
      socket.on('close', () => clearInterval(timer));
    },
  },
  /** Bodies that come a byte at a time. */
  'body-drip': {
    connections: 2_500,
    begin(socket) {
      socket.write(`${head('POST /embed/v1/leads')}Origin: https://www.partner.example\r\n${json}`);
      socket.write('Content-Length: 10000\r\n\r\n');
      const timer = setInterval(() => socket.write('X'), 500);
      socket.on('close', () => clearInterval(timer));
    },
  },
  'large-body': {
    connections: 50,
    begin(socket, number) {
      const [start, bytes] = largeBodies[number % largeBodies.length]!;
      socket.resume();
      socket.write(start);
      pour(socket, bytes);
    },
  },
};

const {connections, begin} = attacks[attack]!;

let sent = 0;
let opened = 0;
function attackOnce(number: number) {
  const socket = connect(Number(port), '127.0.0.1', () => {
    opened += 1;
    begin(socket, number);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    sent += socket.bytesWritten;
    // Whoever is thrown out comes again, though not at once: an endless loop would only measure the attacker.
    setTimeout(attackOnce, 50, number);
  });
}
for (let number = 0; number < connections; number += 1) attackOnce(number);
setTimeout(() => process.exit(), longest);
process.on('SIGTERM', () => {
  console.log(JSON.stringify({opened, closedAfterBytes: sent}));
  process.exit();
});
