/** Settings of an e-mail destination that sends to a mail server of a test. */
import type {EmailSettings} from '../../server/config/destinations.ts';

export const emailSettings = (smtpUrl: string, changes: Partial<EmailSettings> = {}): EmailSettings => ({
  type: 'email',
  to: ['sales@example.com'],
  details: 'none',
  replyTo: 'visitor',
  smtpUrl,
  from: 'Leads <leads@partner.example>',
  rounding: 1_000,
  ...changes,
});
