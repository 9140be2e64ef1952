import {Component, signal} from '@angular/core';
import {bootstrapApplication} from '@angular/platform-browser';
import {Funding} from './funding.js';

@Component({
  selector: 'app-root',
  imports: [Funding],
  template: `
    <app-funding (lead)="lead.set($event)" />
    <p>Lead: {{ lead() }}</p>
  `,
})
class App {
  readonly lead = signal('');
}

await bootstrapApplication(App);
