import {LeadPrequalForm} from 'lead-prequal/react';
import {useState} from 'react';

export function Funding({endpoint}) {
  const [events, setEvents] = useState([]);
  const record = ({type, detail}) => setEvents((earlier) => [...earlier, `${type} ${detail?.id ?? ''}`]);
  return (
    <>
      <LeadPrequalForm
        endpoint={endpoint}
        partner="acme"
        leadType="standard"
        prefill={{first_name: 'Ana'}}
        onPrequalReady={record}
        onPrequalResult={record}
      >
        <h2 slot="heading">Your funding</h2>
      </LeadPrequalForm>
      <ol>
        {events.map((event) => (
          <li key={event}>{event}</li>
        ))}
      </ol>
    </>
  );
}
