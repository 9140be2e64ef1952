import type {PrequalEvents} from 'lead-prequal';
import {LeadPrequalForm, type LeadPrequalFormProps} from 'lead-prequal/react';
import {useState} from 'react';

/** A form whose attributes are state of the page. The page lists the events of the form. */
export function Settings() {
  const [partner, setPartner] = useState('acme');
  const [theme, setTheme] = useState<LeadPrequalFormProps['theme']>();
  const [layout, setLayout] = useState<LeadPrequalFormProps['layout']>();
  const [leadType, setLeadType] = useState<LeadPrequalFormProps['leadType']>();
  const [draft, setDraft] = useState(false);
  const [visitor, setVisitor] = useState<LeadPrequalFormProps['prefill']>();
  const [shown, setShown] = useState(true);
  const [note, setNote] = useState('');
  const [events, setEvents] = useState<string[]>([]);
  const record = ({type, detail}: CustomEvent<PrequalEvents[keyof PrequalEvents]>) =>
    setEvents((earlier) => [...earlier, `${type} ${JSON.stringify(detail)}`]);

  return (
    <>
      <label>
        Partner <input value={partner} onChange={(event) => setPartner(event.target.value)} />
      </label>
      <button onClick={() => setTheme('dark')}>Dark</button>
      <button onClick={() => setLayout('single')}>Single page</button>
      <button onClick={() => setLeadType('standard')}>Contact only</button>
      <button onClick={() => [setTheme(undefined), setLayout(undefined), setLeadType(undefined)]}>
        As it comes
      </button>
      <button onClick={() => setDraft(!draft)}>Draft</button>
      <button onClick={() => setVisitor({first_name: 'Ana', email: 'ana@example.com'})}>Known visitor</button>
      <button onClick={() => setShown(!shown)}>Show or hide</button>
      <label>
        Note <input value={note} onChange={(event) => setNote(event.target.value)} />
      </label>
      {shown && (
        <LeadPrequalForm
          endpoint="https://leads.example.com"
          partner={partner}
          theme={theme}
          layout={layout}
          leadType={leadType}
          draft={draft}
          prefill={visitor}
          onPrequalReady={record}
          onPrequalStart={record}
          onPrequalStep={record}
          onPrequalInvalid={record}
          onPrequalSubmit={record}
          onPrequalResult={record}
          onPrequalError={record}
        >
          <h2 slot="heading">Funding {note}</h2>
        </LeadPrequalForm>
      )}
      <ol id="events">
        {events.map((event, index) => (
          <li key={index}>{event}</li>
        ))}
      </ol>
    </>
  );
}
