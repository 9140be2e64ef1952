import 'lead-prequal';
import type {PrequalEvents} from 'lead-prequal';
import type {ReactProps} from 'lead-prequal/react';
import {useState} from 'react';

/** A form whose attributes are state of the page. The page lists the events of the form. */
export function Settings() {
  const [partner, setPartner] = useState('acme');
  const [theme, setTheme] = useState<ReactProps['theme']>();
  const [layout, setLayout] = useState<ReactProps['layout']>();
  const [leadType, setLeadType] = useState<ReactProps['leadType']>();
  const [draft, setDraft] = useState(false);
  const [visitor, setVisitor] = useState<ReactProps['prefill']>();
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
        <lead-prequal-form
          endpoint="https://leads.example.com"
          partner={partner}
          theme={theme}
          layout={layout}
          lead-type={leadType}
          draft={draft}
          prefill={visitor}
          onprequal-ready={record}
          onprequal-start={record}
          onprequal-step={record}
          onprequal-invalid={record}
          onprequal-submit={record}
          onprequal-result={record}
          onprequal-error={record}
        >
          <h2 slot="heading">Funding {note}</h2>
        </lead-prequal-form>
      )}
      <ol id="events">
        {events.map((event, index) => (
          <li key={index}>{event}</li>
        ))}
      </ol>
    </>
  );
}
