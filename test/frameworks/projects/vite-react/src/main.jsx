import {createElement} from 'react';
import {createRoot} from 'react-dom/client';
import {Funding} from './funding.jsx';

createRoot(document.getElementById('app')).render(
  createElement(Funding, {endpoint: import.meta.env.VITE_ENDPOINT}),
);
