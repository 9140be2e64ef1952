/** What the test gives to each client. */
const {LEAD_SERVER = '', LEAD_USER = '', LEAD_PASSWORD = ''} = process.env;

export const server = LEAD_SERVER;
export const credentials = [LEAD_USER, LEAD_PASSWORD];

export const lead = {
  cid: '1001',
  lead_type: 'prequalification' as const,
  first_name: 'Ana',
  last_name: 'Silva',
  phone: '415-555-0132',
  email: 'ana@example.com',
  credit_score: 'Above 720' as const,
  bankruptcy: false,
  retirement: 120_000,
  cash: '20000',
  investments: 0,
};
