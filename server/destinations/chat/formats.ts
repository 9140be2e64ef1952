/**
 * Writes a message for each kind of chat room. Anybody can write a link, a mention or markup into a form, so in each
 * format the text is of a sort that has no markup, or is escaped. `their-words.ts` keeps rooms from linking addresses.
 */
import type {ChatSettings} from '../../config/destinations.ts';
import {openWords} from '../email/wording.ts';

/** Plain text. The lines of `text` are separated by `\n`. `page`: an address of ours, the only link of the message. */
export type Message = {subject: string; text: string; page?: string | undefined};

/** `&`, `<` and `>` are the only signs that begin links and mentions in Slack: https://docs.slack.dev/messaging/formatting-message-text */
const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const wholeText = ({subject, text}: Message) => `${subject}\n\n${text.trimEnd()}`;

/** A line of a card. A text run, unlike a text block, knows no Markdown. It knows `{{DATE(…)}}`, so `{{` is taken apart. */
const cardLine = (text: string, more: object = {}) => ({
  type: 'RichTextBlock',
  spacing: text === '' ? 'Medium' : 'None',
  inlines: [{type: 'TextRun', text: (text === '' ? ' ' : text).replace(/\{(?=\{)/g, '{ '), ...more}],
});

/** The body of the request, for each format. */
export const bodyOf: Record<ChatSettings['format'], (message: Message) => object> = {
  // `mrkdwn` off: signs such as * and _ stay what they are.
  slack: (message) => ({
    text: escape(wholeText(message)),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    // An attachment has a link of its own, so that no text has to be read as markup.
    ...(message.page && {
      attachments: [{fallback: `${openWords}: ${message.page}`, title: openWords, title_link: message.page}],
    }),
  }),

  teams: ({subject, text, page}) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            cardLine(subject, {weight: 'Bolder'}),
            cardLine(''),
            ...text
              .trimEnd()
              .split('\n')
              .map((each) => cardLine(each)),
          ],
          ...(page && {actions: [{type: 'Action.OpenUrl', title: openWords, url: page}]}),
        },
      },
    ],
  }),

  // The text of a message has markup that cannot be escaped, and mentions. A paragraph of a card has HTML, and no mentions.
  'google-chat': (message) => ({
    cardsV2: [
      {
        cardId: 'lead',
        card: {
          sections: [
            {
              widgets: [
                {textParagraph: {text: escape(wholeText(message)).replaceAll('\n', '<br>')}},
                ...(message.page
                  ? [{buttonList: {buttons: [{text: openWords, onClick: {openLink: {url: message.page}}}]}}]
                  : []),
              ],
            },
          ],
        },
      },
    ],
  }),
};
