/**
 * A program that attacks one server over loopback for as long as it runs: `node attacker.ts <attack> <port>`.
 * It is a separate process, so that it does not slow down the honest clients of the test.
 */
import {connect, type Socket} from 'node:net';

const [, , attack = '', port = ''] = process.argv;
/** Milliseconds. The program ends after this, even if the test does not end it. */
const longest = 30_000;

type Attack = {
  connections: number;
  /** Called for each new connection. It may send until the connection is closed. */
  begin: (socket: Socket, number: number) => void;
};

const head = (text: string) => `${text} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
const script = `${head('GET /embed/v1/lead-prequal-form.js')}\r\n`;

/** Writes the same bytes again and again, as long as the connection accepts them. */
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
  /** Each connection requests the script a thousand times and reads no responses. */
  pipelining: {
    connections: 300,
    begin(socket) {
      socket.pause();
      socket.write(script.repeat(1_000));
    },
  },
  /** Each connection sends as many requests as may be in flight, and reads no responses. */
  unread: {
    connections: 1_000,
    begin(socket) {
      socket.pause();
      socket.write(script.repeat(10));
    },
  },
  idle: {connections: 2_500, begin: (socket) => void socket.resume()},
  /** Headers that are sent byte by byte, often enough that the connection does not count as silent. */
  drip: {
    connections: 2_500,
    begin(socket) {
      socket.write(head('GET /health'));
      const timer = setInterval(() => socket.write('X'), 500);
      socket.on('close', () => clearInterval(timer));
    },
  },
  /** Bodies that are sent byte by byte. */
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
    // A closed connection is replaced after a pause. Without the pause, the loop would only measure the attacker.
    setTimeout(attackOnce, 50, number);
  });
}
for (let number = 0; number < connections; number += 1) attackOnce(number);
setTimeout(() => process.exit(), longest);
process.on('SIGTERM', () => {
  console.log(JSON.stringify({opened, closedAfterBytes: sent}));
  process.exit();
});
