/** A program that fills in the form of an apply page without a script, as a bot would, from many networks. */
import {Pool} from 'undici';

export type Attacker = {
  /** Sends this many pages, evenly over the milliseconds. @returns how many answers had each status */
  send(posts: number, duration: number): Promise<Record<number, number>>;
  close(): Promise<void>;
};

const funds = {credit_score: 'Above 720', retirement: '120000', cash: '50000', investments: '0'};
const carried = (html: string, name: string) =>
  new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(html)?.[1] ?? '';

/**
 * @param path of the apply page
 * @param networks how many different networks the requests claim to come from
 */
export function applyAttacker(url: string, path: string, networks: number): Attacker {
  const pool = new Pool(url, {connections: 8});
  let number = 0;
  /** The token that each network has got: it is good there alone. */
  const tokens = new Map<number, Promise<string>>();

  async function post(fields: Record<string, string>, network: number) {
    const {statusCode, body} = await pool.request({
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': `203.${network >> 16}.${(network >> 8) & 255}.${network & 255}`,
      },
      body: new URLSearchParams(fields).toString(),
    });
    return {status: statusCode, html: await body.text()};
  }

  const newToken = async (network: number) => {
    const {html} = await post({_page: '0', credit_score: funds.credit_score}, network);
    return carried(html, '_token');
  };

  /** Every kind of page that a bot may send: the last one of the form, a forged one, one with the trap, a first one. */
  async function next(): Promise<number> {
    const current = number;
    number += 1;
    const network = Math.floor(current / 4) % networks;
    const asked = tokens.get(network) ?? newToken(network);
    tokens.set(network, asked);
    const token = await asked;
    const lead = {
      ...funds,
      first_name: `Bot ${current}`,
      last_name: 'Net',
      email: `bot${current}@example.com`,
      phone: '415-555-0132',
      _page: '2',
      _token: token,
    };
    const pages = [
      lead,
      {...lead, _token: `9${token.slice(1)}`},
      {...lead, website: 'https://spam.example'},
      {_page: '0'},
    ];
    const {status} = await post(pages[current % pages.length] ?? lead, network);
    return status;
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
