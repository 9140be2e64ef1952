/** A destination that tells a chat room of leads, in the words of the e-mails: Slack, Microsoft Teams or Google Chat. */
import type {ChatSettings} from '../../config/destinations.ts';
import type {Destination} from '../destination.ts';
import {correctedFor, leadEmail} from '../email/lead-email.ts';
import {isRepeat, pageOf, toldBefore} from '../email/wording.ts';
import type {Network} from '../network.ts';
import {createPoster} from '../webhook/post.ts';
import {bodyOf, type Message} from './formats.ts';

/** A connector of Teams answers 200 also where it could not post the message, and says the status in its body. */
function statusIn(excerpt = ''): number | undefined {
  const [, status] = /^Webhook message delivery failed\b.*? HTTP error (\d{3})\b/.exec(excerpt) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** @param timeout milliseconds for one attempt, from looking up the host to the status of the answer */
export function createChat(settings: ChatSettings, timeout: number, network?: Partial<Network>): Destination {
  const {format, parallel = 1} = settings;
  const poster = createPoster(settings, parallel, timeout, network, {receiver: 'chat room', statusIn});
  const send = (message: Message, attempts: number) =>
    poster.post(JSON.stringify(bodyOf[format](message)), {}, attempts);
  return {
    async deliver(request) {
      if (isRepeat(request)) throw toldBefore();
      const page = request.content === 'erased' ? undefined : pageOf(request.lead, settings);
      const {subject, text} = leadEmail(request, settings, await correctedFor(request, settings));
      return send({subject, text, page}, request.attempts);
    },
    test: () =>
      send(
        {
          subject: 'A test: leads will be reported here',
          text: 'The operator of the lead service sent this message to see whether it arrives. There is no lead behind it.',
        },
        0,
      ),
    close: () => poster.close(),
  };
}
