import {Component, CUSTOM_ELEMENTS_SCHEMA, signal} from '@angular/core';
import type {LeadPrequalForm, PrequalEvents} from 'lead-prequal';
import 'lead-prequal';

/** A form whose attributes are state of the page. The page lists the events of the form. */
@Component({
  selector: 'app-settings',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <label>Partner <input #key [value]="partner()" (input)="partner.set(key.value)" /></label>
    <button (click)="theme.set('dark')">Dark</button>
    <button (click)="layout.set('single')">Single page</button>
    <button (click)="leadType.set('standard')">Contact only</button>
    <button (click)="theme.set(undefined); layout.set(undefined); leadType.set(undefined)">
      As it comes
    </button>
    <button (click)="draft.set(!draft())">Draft</button>
    <button (click)="visitor.set({first_name: 'Ana', email: 'ana@example.com'})">Known visitor</button>
    <button (click)="shown.set(!shown())">Show or hide</button>
    <label>Note <input #text [value]="note()" (input)="note.set(text.value)" /></label>
    @if (shown()) {
      <lead-prequal-form
        endpoint="https://leads.example.com"
        [partner]="partner()"
        [theme]="theme()"
        [layout]="layout()"
        [attr.lead-type]="leadType()"
        [draft]="draft()"
        [prefill]="visitor()"
        (prequal-ready)="record($event)"
        (prequal-start)="record($event)"
        (prequal-step)="record($event)"
        (prequal-invalid)="record($event)"
        (prequal-submit)="record($event)"
        (prequal-result)="record($event)"
        (prequal-error)="record($event)"
      >
        <h2 slot="heading">Funding {{ note() }}</h2>
      </lead-prequal-form>
    }
    <ol id="events">
      @for (event of events(); track $index) {
        <li>{{ event }}</li>
      }
    </ol>
  `,
})
export class Settings {
  readonly partner = signal('acme');
  readonly theme = signal<LeadPrequalForm['theme'] | undefined>(undefined);
  readonly layout = signal<LeadPrequalForm['layout'] | undefined>(undefined);
  readonly leadType = signal<LeadPrequalForm['leadType'] | undefined>(undefined);
  readonly draft = signal(false);
  readonly visitor = signal<LeadPrequalForm['prefill']>(undefined);
  readonly shown = signal(true);
  readonly note = signal('');
  readonly events = signal<string[]>([]);

  record({type, detail}: CustomEvent<PrequalEvents[keyof PrequalEvents]>) {
    this.events.update((earlier) => [...earlier, `${type} ${JSON.stringify(detail)}`]);
  }
}
