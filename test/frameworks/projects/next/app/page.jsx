import {Funding} from './funding.jsx';

export default function Page() {
  return <Funding endpoint={process.env.ENDPOINT} />;
}

// At each request, so that the server renders the form.
export const dynamic = 'force-dynamic';
