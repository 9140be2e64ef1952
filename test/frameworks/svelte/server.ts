import {render as renderApp} from 'svelte/server';
import App from './App.svelte';

export const render = async () => (await renderApp(App)).body;
