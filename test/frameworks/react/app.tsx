import {useState} from 'react';
import {Funding} from './funding.tsx';
import {Settings} from './settings.tsx';
import {TwoForms} from './two-forms.tsx';

export function App() {
  const [page, setPage] = useState('funding');
  const [lead, setLead] = useState('');
  return (
    <>
      <nav>
        <button onClick={() => setPage('funding')}>Funding</button>
        <button onClick={() => setPage('settings')}>Settings</button>
        <button onClick={() => setPage('two-forms')}>Two forms</button>
      </nav>
      {page === 'funding' && <Funding onLead={setLead} />}
      {page === 'settings' && <Settings />}
      {page === 'two-forms' && <TwoForms />}
      <p>Lead: {lead}</p>
    </>
  );
}
