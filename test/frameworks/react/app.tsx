import {useState} from 'react';
import {Funding} from './funding.tsx';
import {Settings} from './settings.tsx';
import {TwoForms} from './two-forms.tsx';
import {useHydrated} from './use-hydrated.ts';

export function App() {
  const [page, setPage] = useState('funding');
  const [lead, setLead] = useState('');
  /**
   * React sets no properties and no listeners on an element that comes from the server. With a new key it makes the
   * element again, and sets them: https://github.com/react/react/issues/35446
   */
  const isHydrated = useHydrated();
  return (
    <>
      <nav>
        <button onClick={() => setPage('funding')}>Funding</button>
        <button onClick={() => setPage('settings')}>Settings</button>
        <button onClick={() => setPage('two-forms')}>Two forms</button>
      </nav>
      {page === 'funding' && <Funding key={String(isHydrated)} onLead={setLead} />}
      {page === 'settings' && <Settings />}
      {page === 'two-forms' && <TwoForms />}
      <p>Lead: {lead}</p>
    </>
  );
}
