import {Component, signal} from '@angular/core';
import {bootstrapApplication} from '@angular/platform-browser';
import {Funding} from './funding.js';
import {Settings} from './settings.js';
import {TwoForms} from './two-forms.js';

@Component({
  selector: 'app-root',
  imports: [Funding, Settings, TwoForms],
  template: `
    <nav>
      <button (click)="page.set('funding')">Funding</button>
      <button (click)="page.set('settings')">Settings</button>
      <button (click)="page.set('two-forms')">Two forms</button>
    </nav>
    @switch (page()) {
      @case ('funding') {
        <app-funding (lead)="lead.set($event)" />
      }
      @case ('settings') {
        <app-settings />
      }
      @case ('two-forms') {
        <app-two-forms />
      }
    }
    <p>Lead: {{ lead() }}</p>
  `,
})
class App {
  readonly page = signal('funding');
  readonly lead = signal('');
}

await bootstrapApplication(App);
