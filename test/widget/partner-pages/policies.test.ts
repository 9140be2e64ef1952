import {expect, oneEvent} from '@open-wc/testing';
import {
  element,
  formOn,
  openPage,
  reachResult,
  scriptAgain,
  scriptOf,
  scripts,
  service,
} from './partner-page.ts';

const hashOf = (script: string) => /sha384-[^"]+/.exec(script)?.[0];

describe('a page with a content security policy', () => {
  const strict = `default-src 'none'; style-src 'none'; connect-src ${service.origin};`;
  const byOrigin = `${strict} script-src 'nonce-page' ${service.origin}`;
  const byHash = (script: string) => `${strict} script-src 'nonce-page' '${hashOf(script)}' 'strict-dynamic'`;
  const policies: [what: string, policy: string, script: string][] = Object.entries(scripts).flatMap(
    ([name, script]) => [
      [`names origins (${name})`, byOrigin, script],
      [`names the hash of the script (${name})`, byHash(script), script],
    ],
  );
  for (const [what, policy, script] of policies) {
    it(`reports no violation on the way to the result if its policy ${what}`, async () => {
      const page = await openPage(script + element, {'Content-Security-Policy': policy});
      await reachResult(await formOn(page));
      expect(page.trouble).to.deep.equal([]);
      // The test would prove nothing if the policy were not enforced, so this style must be blocked.
      page.document.body.setAttribute('style', 'color: red');
      await new Promise((resolve) => page.document.addEventListener('securitypolicyviolation', resolve));
      expect(page.trouble).to.have.length(1);
    });
  }

  it('shows the form in a dialog under a strict policy, and reports no violation', async () => {
    const page = await openPage(
      service.script + element.replace(' partner', ' presentation="dialog" partner'),
      {
        'Content-Security-Policy': `${byOrigin}; require-trusted-types-for 'script'; trusted-types lead-prequal`,
      },
    );
    const form = await formOn(page);
    await form.open();
    expect(form.shadowRoot!.querySelector('dialog')!.matches(':modal')).to.be.true;
    await reachResult(form);
    expect(form.shadowRoot!.querySelector('dialog')!.open).to.be.true;
    expect(page.trouble).to.deep.equal([]);
  });

  it('an Integrity-Policy runs the form, and stops its script without integrity', async () => {
    const page = await openPage(service.script + element, {
      'Integrity-Policy': 'blocked-destinations=(script)',
      'Content-Security-Policy': `script-src 'nonce-page' ${service.origin}`,
    });
    await reachResult(await formOn(page));
    expect(page.trouble).to.deep.equal([]);
    const unpinned = service.script.replace(/integrity="[^"]*"/, '').replace('.js"', '.js?unpinned"');
    page.document.head.append(page.document.createRange().createContextualFragment(unpinned));
    await oneEvent(page.document.querySelector('[src$=unpinned]')!, 'error');
  });
});

describe('a page with Trusted Types', () => {
  const lit = '/node_modules/lit-html/lit-html.js';
  const otherLit = `<p id="lit"></p><script type="module">
    import {html, render} from '${lit}';
    render(html\`<b>rendered</b>\`, document.getElementById('lit'));
  </script>`;
  const requireTypes = (names: string) => ({
    'Content-Security-Policy': `require-trusted-types-for 'script'; trusted-types ${names}`,
  });

  for (const [what, content, policies] of [
    ['allows the form alone', service.script + element, 'lead-prequal'],
    ['allows the classic twin alone', service.classicScript + element, 'lead-prequal'],
    ['has both twins', service.classicScript + service.script + element, 'lead-prequal'],
    ['has another Lit in front of it', otherLit + service.script + element, 'lead-prequal lit-html'],
    ['has another Lit after it', service.script + element + otherLit, 'lead-prequal lit-html'],
    [
      'has the script three times, in two versions',
      service.script + scriptAgain + scriptOf(service.otherVersion) + element,
      'lead-prequal',
    ],
  ] as const) {
    it(`that ${what} reports no violation on the way to the result`, async () => {
      const page = await openPage(content, requireTypes(policies));
      await reachResult(await formOn(page));
      expect(page.trouble).to.deep.equal([]);
      expect(page.document.getElementById('lit')?.textContent ?? 'rendered').to.contain('rendered');
      expect(() => (page.document.body.innerHTML = 'text'), 'the policy is enforced').to.throw();
    });
  }
});
