import {Component, CUSTOM_ELEMENTS_SCHEMA, output} from '@angular/core';
import 'lead-prequal';

@Component({
  selector: 'app-funding',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <lead-prequal-form
      endpoint="https://leads.example.com"
      partner="acme"
      style="--prequal-partner-accent: #0b7a5a"
      [prefill]="visitor"
      (prequal-result)="lead.emit($event.detail.id)"
    >
      <h2 slot="heading">Your funding</h2>
    </lead-prequal-form>
  `,
})
export class Funding {
  readonly visitor = {first_name: 'Ana', email: 'ana@example.com'};
  readonly lead = output<string>();
}
