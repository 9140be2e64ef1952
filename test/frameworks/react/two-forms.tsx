import 'lead-prequal';
import type {} from 'lead-prequal/react';
import {useState} from 'react';

/** Forms of several partners in a list, whose order changes. They are elements and no components: React 19 has both. */
export function TwoForms() {
  const [partners, setPartners] = useState(['acme', 'globex']);
  const [ready, setReady] = useState(0);
  return (
    <>
      <button onClick={() => setPartners(partners.toReversed())}>Swap</button>
      <p>Ready: {ready}</p>
      {partners.map((partner) => (
        <lead-prequal-form
          key={partner}
          endpoint="https://leads.example.com"
          partner={partner}
          onprequal-ready={() => setReady((count) => count + 1)}
        />
      ))}
    </>
  );
}
