/**
 * A program that sends requests to one server over loopback, and ends with its parent: `node sender.ts <port>`. It sends
 * each text that it gets as a message several times, one connection after the other. It is a separate process, so that
 * its parent can measure the processor time of the server alone.
 */
import {once} from 'node:events';
import {connect} from 'node:net';

export type ToSend = {text: string; times: number};

process.on('message', ({text, times}: ToSend) => void send(text, times));
process.on('disconnect', () => process.exit());

async function send(text: string, times: number) {
  for (let count = 0; count < times; count += 1) {
    const socket = connect(Number(process.argv[2]), '127.0.0.1');
    // A server that refuses a request may reset its connection.
    socket.on('error', () => undefined);
    socket.resume().end(text);
    await once(socket, 'close');
  }
  process.send!('sent');
}
