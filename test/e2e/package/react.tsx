import 'lead-prequal';
import type {LeadPrequalForm} from 'lead-prequal';
import type {} from 'lead-prequal/react';
import {useRef} from 'react';

export function Page() {
  const form = useRef<LeadPrequalForm>(null);
  return (
    <lead-prequal-form
      ref={form}
      className="wide"
      partner="acme"
      lead-type="standard"
      theme="dark"
      order="contact-first"
      style={{color: 'black', '--prequal-accent': '#0b7a5a'}}
      onprequal-step={({detail}) => `${detail.name}: ${detail.step / detail.of}`}
      onprequal-result={({detail}) => detail.id.concat(detail.leadType)}
    >
      <h2 slot="heading">Your funding</h2>
      <button onClick={() => form.current?.reset()}>Start over</button>
    </lead-prequal-form>
  );
}

export const sample = <lead-prequal-form sandbox draft={false} />;

export const wrong = [
  // @ts-expect-error there is no such layout
  <lead-prequal-form layout="pages" />,
  // @ts-expect-error there is no such order
  <lead-prequal-form order="phone-first" />,
  // @ts-expect-error steps are numbers
  <lead-prequal-form onprequal-step={({detail}) => detail.step.concat('')} />,
];
