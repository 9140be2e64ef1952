import type {} from 'lead-prequal/vue';
import type {GlobalComponents} from 'vue';

/** What a template would set. */
type Attributes = InstanceType<GlobalComponents['lead-prequal-form']>['$props'];

export const right: Attributes = {
  class: 'wide',
  partner: 'acme',
  leadType: 'standard',
  order: 'contact-first',
  onPrequalResult: ({detail}) => detail.id.concat(detail.leadType),
};

// @ts-expect-error there is no such layout
export const wrong: Attributes = {layout: 'pages'};
