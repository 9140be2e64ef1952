/** `import type {} from 'lead-prequal/react'` makes the element known to JSX in React 19. */
import type {CSSProperties, DetailedHTMLProps, HTMLAttributes} from 'react';
import type {LeadPrequalForm} from '../lead-prequal-form.ts';
import type {Listeners, Props} from './props.ts';

export type ReactProps = DetailedHTMLProps<HTMLAttributes<LeadPrequalForm>, LeadPrequalForm> &
  Props &
  Listeners & {
    /** Custom properties of the form, too, which React's own type does not know. */
    style?: CSSProperties & {[Name in `--prequal-${string}`]?: string};
  };

declare module 'react' {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- React declares this namespace
  namespace JSX {
    interface IntrinsicElements {
      'lead-prequal-form': ReactProps;
    }
  }
}
