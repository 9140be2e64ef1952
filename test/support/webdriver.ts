/** What the tests ask of WebKit, by the protocol of its driver: https://www.w3.org/TR/webdriver2/ */

export type WebDriverSession = Awaited<ReturnType<typeof openSession>>;

/** The keys that tests press, as the protocol writes them. Any other key is the character that it types. */
const codes: Readonly<Record<string, string>> = {
  Tab: '\uE004',
  Enter: '\uE007',
  Escape: '\uE00C',
  End: '\uE010',
  Home: '\uE011',
  ArrowLeft: '\uE012',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Backspace: '\uE003',
  Delete: '\uE017',
};

type PointerAction =
  {type: 'pointerMove'; x: number; y: number} | {type: 'pointerDown' | 'pointerUp'; button: number};

/**
 * Starts a browser.
 *
 * @param port of the driver
 * @param binary the path of the browser
 */
export async function openSession(port: number, binary: string) {
  const capabilities = {
    browserName: 'MiniBrowser',
    'webkitgtk:browserOptions': {binary, args: ['--automation']},
  };
  const sessions = `http://127.0.0.1:${port}/session`;
  const {sessionId} = await send<{sessionId: string}>('POST', sessions, {
    capabilities: {alwaysMatch: capabilities},
  });
  const session = `${sessions}/${sessionId}`;
  const post = <Value = void>(path: string, body: object = {}) =>
    send<Value>('POST', `${session}/${path}`, body);
  const act = (source: object) => post('actions', {actions: [source]});

  return {
    navigate: (url: string) => post('url', {url}),
    /** The value of an expression in the page. */
    run: <Value>(expression: string) =>
      post<Value>('execute/sync', {script: `return ${expression}`, args: []}),
    press: (keys: readonly string[]) => {
      const values = keys.map((key) => codes[key] ?? key);
      const actions = values.flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({type, value})));
      return act({type: 'key', id: 'keyboard', actions});
    },
    usePointer: (...actions: PointerAction[]) => act({type: 'pointer', id: 'mouse', actions}),
    close: () => send('DELETE', session),
  };
}

/** @throws Error with what the driver says, when it cannot do it */
async function send<Value = void>(method: string, url: string, body?: object): Promise<Value> {
  const reply = await fetch(url, {method, ...(body && {body: JSON.stringify(body)})});
  const {value} = (await reply.json()) as {value: unknown};
  if (reply.ok) return value as Value;
  const {error, message} = value as {error: string; message: string};
  throw new Error(`${error}: ${message}`);
}
