import {StrictMode, useState} from 'react';
import {createRoot} from 'react-dom/client';
import {Funding} from './funding.tsx';

function App() {
  const [lead, setLead] = useState('');
  return (
    <>
      <Funding onLead={setLead} />
      <p>Lead: {lead}</p>
    </>
  );
}

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
