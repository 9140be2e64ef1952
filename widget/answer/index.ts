/**
 * The second file: from sending a lead to what the visitor gets for it. It imports nothing at run time and gets
 * what it needs from the first file, because a page may load that one under several addresses.
 */
import {emailSlip} from './email-slip.ts';
import {endView} from './end-view.ts';
import {resultView} from './result-view.ts';
import {notice} from './notice.ts';
import {readConfig, send} from './send.ts';
import {answerStyles} from './styles.ts';
import type {Answered, AnswerPart, Failure, Kit} from './types.ts';

export const createAnswer = (kit: Kit): AnswerPart => ({
  styles: answerStyles(kit.css),
  readConfig,
  send,
  emailSlip,
  notice: (failure: Failure) => notice(kit, failure),
  view(answered: Answered) {
    const {status, prequalification} = answered.answer;
    if (status !== 'done') return endView(kit, status, answered);
    return prequalification ? resultView(kit, prequalification, answered) : endView(kit, 'thanks', answered);
  },
});
