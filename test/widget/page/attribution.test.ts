import {expect} from '@open-wc/testing';
import type {Attribution} from '../../../contract/embed.ts';
import {attribution} from '../../../widget/page/attribution.ts';
import {useServer} from '../../support/browser/fake-server.ts';
import {
  comeFrom,
  forbidStorage,
  goTo,
  privacySignal,
  restorePage,
} from '../../support/browser/browser-page.ts';
import {openSent} from '../../support/browser/visitor.ts';

const {origin} = location;
const ad = '/offer?utm_source=news&utm_campaign=oto%C3%B1o&gclid=abc';
const told = {utm_source: 'news', utm_campaign: 'otoño', gclid: 'abc'};

/** Goes to a page of the visit. @returns the attribution that the script has there */
function visit(address: string, referrer = '') {
  goTo(address);
  comeFrom(referrer);
  return attribution();
}

describe('attribution', () => {
  beforeEach(() => sessionStorage.clear());
  afterEach(() => {
    restorePage();
    sessionStorage.clear();
  });

  const root = {landing_page: `${origin}/`};
  const clicks = {gclid: '1', fbclid: '2', wbraid: '3', msclkid: '4', ttclid: '5', li_fat_id: '6'};
  const pages: readonly (readonly [what: string, address: string, referrer: string, Attribution])[] = [
    ['the landing page, without query or fragment', '/a/b?x=1#y', '', {landing_page: `${origin}/a/b`}],
    [
      'parameters of campaigns',
      '/?utm_medium=email&utm_id=7',
      '',
      {utm_medium: 'email', utm_id: '7', ...root},
    ],
    ['ids of clicks', `/?${new URLSearchParams(clicks)}`, '', {...clicks, ...root}],
    [
      'the page before, without its query',
      '/',
      'https://search.example/find?q=loans#1',
      {referrer: 'https://search.example/find', ...root},
    ],
    [
      'no token and no e-mail address in a path',
      '/reset/9f86d081884c7d659a2feaa0c55ad015/done',
      'https://mail.example/u/jane@example.com/inbox',
      {referrer: 'https://mail.example/u/*/inbox', landing_page: `${origin}/reset/*/done`},
    ],
    ['an app', '/', 'android-app://com.example/', {referrer: 'android-app://com.example/', ...root}],
    ['no page of the same site', '/', `${origin}/home?email=maria@example.com`, root],
    ['no parameter of another kind', '/?email=maria@example.com&cash=5&referrer=x&landing_page=y', '', root],
  ];
  for (const [what, address, referrer, expected] of pages) {
    it(`has ${what}`, () => expect(visit(address, referrer)).to.deep.equal(expected));
  }

  it('is that of the first page with a campaign or a referrer, and is not mixed with later ones', () => {
    expect(visit('/home')).to.deep.equal({landing_page: `${origin}/home`});
    expect(visit('/about'), 'a page that tells no more').to.deep.equal({landing_page: `${origin}/home`});
    const first = {...told, landing_page: `${origin}/offer`};
    expect(visit(ad)).to.deep.equal(first);
    expect(visit('/apply?utm_source=other&utm_term=x', 'https://search.example/')).to.deep.equal(first);
    expect(visit('/apply')).to.deep.equal(first);
  });

  it('a first page with a referrer from another site decides the attribution', () => {
    const first = {referrer: 'https://blog.example/', landing_page: `${origin}/home`};
    visit('/home', 'https://blog.example/');
    expect(visit(ad)).to.deep.equal(first);
  });

  for (const [name, value] of [
    ['globalPrivacyControl', true],
    ['doNotTrack', '1'],
  ] as const) {
    it(`under ${name} there is no attribution, and what was stored before is removed`, () => {
      visit(ad);
      privacySignal(name, value);
      expect(visit(ad)).to.equal(undefined);
      expect(sessionStorage).to.have.length(0);
    });
  }

  it('privacy signals that are off leave the attribution unchanged', () => {
    privacySignal('globalPrivacyControl', false);
    privacySignal('doNotTrack', '0');
    expect(visit(ad)).to.include(told);
  });

  it('is kept in memory where the page may not store anything', () => {
    forbidStorage();
    visit(ad);
    expect(visit('/apply')).to.deep.equal({...told, landing_page: `${origin}/offer`});
    privacySignal('doNotTrack', '1');
    expect(visit('/apply'), 'as long as the visitor lets it').to.equal(undefined);
  });

  for (const broken of ['{', 'null', '"text"', '[]']) {
    it(`stored attribution that another script replaced by ${broken} is ignored`, () => {
      visit('/');
      for (const name of Object.keys(sessionStorage)) sessionStorage[name] = broken;
      expect(visit(ad)).to.include(told);
    });
  }
});

describe('a lead', () => {
  const server = useServer();

  const sent = async () => {
    await openSent();
    return (server.leads[0]?.body as {attribution?: Attribution}).attribution;
  };

  it('is sent with the attribution of the first page of the visit', async () => {
    visit(ad);
    goTo('/apply');
    expect(await sent()).to.deep.equal({...told, landing_page: `${origin}/offer`});
  });

  it('is sent without parameters and values that the contract does not take', async () => {
    visit(`/?utm_source=ok&utm_evil=x&xclid=y&gclid=${'g'.repeat(501)}&utm_term=a%00b`);
    expect(await sent()).to.deep.equal({utm_source: 'ok', landing_page: `${origin}/`});
  });

  it('is sent with the page that it was filled in on, without the tokens in its path', async () => {
    visit('/invited/AB3D-9KQX-8RT2-LMWP/apply?token=1#2');
    await sent();
    expect(server.leads[0]!.body.page).to.equal(`${origin}/invited/*/apply`);
  });

  it('is sent without attribution under a privacy signal', async () => {
    visit(ad);
    privacySignal('globalPrivacyControl', true);
    expect(await sent()).to.equal(undefined);
  });
});
