/** A program that fills in the form of an apply page without a script, as a bot would, from many networks. */
import {Pool} from 'undici';

export type Attacker = {
  /** Sends this many forms, evenly over the milliseconds. @returns how many answers had each status */
  send(posts: number, duration: number): Promise<Record<number, number>>;
  close(): Promise<void>;
};

const answers = {
  ...{credit_score: 'Above 720', retirement: '120000', cash: '50000', investments: '0'},
  ...{last_name: 'Net', phone: '415-555-0132'},
};

/**
 * @param path of the apply page
 * @param networks how many different networks the requests claim to come from
 */
export function applyAttacker(url: string, path: string, networks: number): Attacker {
  const pool = new Pool(url, {connections: 8});
  let number = 0;
  /** The token that each network has got: it is good there alone. */
  const tokens = new Map<number, Promise<string>>();

  const request = (method: 'GET' | 'POST', network: number, fields?: Record<string, string>) =>
    pool.request({
      method,
      path,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': `203.${network >> 16}.${(network >> 8) & 255}.${network & 255}`,
      },
      body: fields ? new URLSearchParams(fields).toString() : null,
    });

  async function newToken(network: number) {
    const {body} = await request('GET', network);
    return /name="_token" value="([^"]*)"/.exec(await body.text())?.[1] ?? '';
  }

  /** Every kind of form that a bot may send: a filled one, one with a forged token, one with the trap, an empty one. */
  async function next(): Promise<number> {
    const current = number;
    number += 1;
    const network = Math.floor(current / 4) % networks;
    const asked = tokens.get(network) ?? newToken(network);
    tokens.set(network, asked);
    const _token = await asked;
    const lead = {...answers, first_name: `Bot ${current}`, email: `bot${current}@example.com`, _token};
    const forms: Record<string, string>[] = [
      lead,
      {...lead, _token: `9${_token.slice(1)}`},
      {...lead, website: 'https://spam.example'},
      {_token},
    ];
    const {statusCode, body} = await request('POST', network, forms[current % forms.length]);
    await body.dump();
    return statusCode;
  }

  return {
    async send(posts, duration) {
      const statuses: Record<number, number> = {};
      const begun = performance.now();
      const answers: Promise<void>[] = [];
      for (let sent = 0; sent < posts; sent += 1) {
        const early = begun + (sent * duration) / posts - performance.now();
        if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
        answers.push(next().then((status) => void (statuses[status] = (statuses[status] ?? 0) + 1)));
        if (answers.length % 64 === 0) await Promise.all(answers.splice(0));
      }
      await Promise.all(answers);
      return statuses;
    },
    close: () => pool.close(),
  };
}
