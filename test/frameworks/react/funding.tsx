import {LeadPrequalForm} from 'lead-prequal/react';

export function Funding({onLead}: {onLead: (id: string) => void}) {
  return (
    <LeadPrequalForm
      endpoint="https://leads.example.com"
      partner="acme"
      prefill={{first_name: 'Ana', email: 'ana@example.com'}}
      onPrequalResult={({detail}) => onLead(detail.id)}
    >
      <h2 slot="heading">Your funding</h2>
    </LeadPrequalForm>
  );
}
