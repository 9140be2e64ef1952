import {useSyncExternalStore} from 'react';

/** False on a server and while React takes over the server's markup, and true from then on. */
export const useHydrated = () =>
  useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
