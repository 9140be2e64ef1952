import {createApp} from 'vue';
import Funding from './Funding.vue';

createApp(Funding, {endpoint: import.meta.env.VITE_ENDPOINT}).mount('#app');
