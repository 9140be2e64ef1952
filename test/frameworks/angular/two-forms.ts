import {Component, CUSTOM_ELEMENTS_SCHEMA, signal} from '@angular/core';
import 'lead-prequal';

/** Forms of several partners in a list, whose order changes. */
@Component({
  selector: 'app-two-forms',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <button (click)="partners.set(partners().toReversed())">Swap</button>
    <p>Ready: {{ ready() }}</p>
    @for (partner of partners(); track partner) {
      <lead-prequal-form
        endpoint="https://leads.example.com"
        [partner]="partner"
        (prequal-ready)="ready.set(ready() + 1)"
      />
    }
  `,
})
export class TwoForms {
  readonly partners = signal(['acme', 'globex']);
  readonly ready = signal(0);
}
