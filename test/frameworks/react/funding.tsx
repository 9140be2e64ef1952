import 'lead-prequal';
import type {} from 'lead-prequal/react';

export function Funding({onLead}: {onLead: (id: string) => void}) {
  return (
    <lead-prequal-form
      endpoint="https://leads.example.com"
      partner="acme"
      style={{'--prequal-partner-accent': '#0b7a5a'}}
      prefill={{first_name: 'Ana', email: 'ana@example.com'}}
      onprequal-result={({detail}) => onLead(detail.id)}
    >
      <h2 slot="heading">Your funding</h2>
    </lead-prequal-form>
  );
}
