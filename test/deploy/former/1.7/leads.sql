CREATE TABLE public.alerts (
    destination text NOT NULL,
    seen_at bigint NOT NULL,
    told bigint NOT NULL,
    due_at bigint NOT NULL,
    last_error text
);
CREATE TABLE public.audit (
    id text NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    filter text NOT NULL,
    leads bigint NOT NULL,
    ids text NOT NULL
);
CREATE TABLE public.break_ends (
    destination text NOT NULL,
    ended_at bigint NOT NULL
);
CREATE TABLE public.confirmations (
    lead_id text NOT NULL,
    partner text NOT NULL,
    address text NOT NULL,
    network text NOT NULL,
    language text NOT NULL,
    created_at bigint NOT NULL,
    decision text,
    decided_at bigint,
    network_56 text,
    network_48 text,
    CONSTRAINT confirmations_decision_check CHECK ((decision = ANY (ARRAY['granted'::text, 'address'::text, 'network'::text, 'partner'::text])))
);
CREATE TABLE public.consent_texts (
    partner text NOT NULL,
    version text NOT NULL,
    text_hash text NOT NULL
);
CREATE TABLE public.consent_words (
    text_hash text NOT NULL,
    words text NOT NULL
);
CREATE TABLE public.consents (
    lead_id text NOT NULL,
    consent text NOT NULL
);
CREATE TABLE public.context_values (
    name text NOT NULL,
    value text NOT NULL,
    lead_id text NOT NULL
);
CREATE TABLE public.data_keys (
    check_value bigint NOT NULL,
    since bigint NOT NULL
);
CREATE TABLE public.deliveries (
    lead_id text NOT NULL,
    destination text NOT NULL,
    content text NOT NULL,
    gives_answer bigint NOT NULL,
    state text NOT NULL,
    attempts bigint NOT NULL,
    ambiguous bigint NOT NULL,
    ambiguous_counted bigint NOT NULL,
    next_attempt_at bigint NOT NULL,
    leased_until bigint NOT NULL,
    last_error text,
    remote_id text,
    settled_at bigint,
    happened_at bigint NOT NULL,
    failing_since bigint,
    last_reply text,
    recipients text,
    address text,
    former_addresses text,
    CONSTRAINT deliveries_content_check CHECK ((content = ANY (ARRAY['lead'::text, 'created'::text, 'answered'::text, 'refused'::text, 'held'::text, 'confirmation'::text, 'erased'::text, 'revoked'::text]))),
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'held'::text, 'refused'::text, 'failed'::text, 'delivered'::text, 'dropped'::text, 'skipped'::text])))
);
CREATE TABLE public.destination_addresses (
    destination text NOT NULL,
    address text NOT NULL,
    place text NOT NULL,
    first_used bigint NOT NULL,
    last_used bigint NOT NULL
);
CREATE TABLE public.erasure_requests (
    lead_id text NOT NULL,
    requested_at bigint NOT NULL
);
CREATE TABLE public.evidence_keys (
    id text NOT NULL,
    public_key text NOT NULL,
    since bigint NOT NULL
);
CREATE TABLE public.heartbeat (
    id bigint NOT NULL,
    written_at bigint NOT NULL,
    filler text NOT NULL,
    CONSTRAINT heartbeat_id_check CHECK ((id = 1))
);
CREATE TABLE public.idempotency_keys (
    owner text NOT NULL,
    digest text NOT NULL,
    fingerprint text NOT NULL,
    lead_id text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.invitations (
    digest text NOT NULL,
    operator text NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.lead_days (
    day bigint NOT NULL,
    partner text NOT NULL,
    leads bigint NOT NULL,
    newest text NOT NULL
);
CREATE TABLE public.leads (
    id text NOT NULL,
    created_at bigint NOT NULL,
    cid text NOT NULL,
    partner text,
    lead_type text NOT NULL,
    lead text NOT NULL,
    suspect text,
    supersedes text,
    duplicate_of text,
    status text NOT NULL,
    rollover_amount bigint,
    sba_qualified_amount bigint,
    unsecured_amount bigint,
    portfolio_loan_qualified_amount bigint,
    total_qualified_amount bigint,
    reasons text NOT NULL,
    policy_version text,
    attribution text,
    utm_source text,
    utm_medium text,
    utm_campaign text,
    context text,
    erased_at bigint,
    revoked_at bigint,
    revoked_for text,
    suppressed_at bigint,
    CONSTRAINT leads_status_check CHECK ((status = ANY (ARRAY['done'::text, 'pending'::text, 'refused'::text])))
);
CREATE TABLE public.operator_sessions (
    digest text NOT NULL,
    operator text NOT NULL,
    began_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    zone text NOT NULL,
    agent text NOT NULL
);
CREATE TABLE public.operators (
    id text NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint,
    CONSTRAINT operators_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'agent'::text, 'admin'::text])))
);
CREATE TABLE public.passkeys (
    credential text NOT NULL,
    operator text NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    is_synced bigint NOT NULL,
    created_at bigint NOT NULL,
    used_at bigint
);
CREATE TABLE public.paused_destinations (
    destination text NOT NULL,
    paused_at bigint NOT NULL,
    reason text NOT NULL
);
CREATE TABLE public.person_digests (
    digest text NOT NULL,
    lead_id text NOT NULL
);
CREATE TABLE public.person_search (
    id bigint NOT NULL,
    data_key bigint NOT NULL,
    blob bytea NOT NULL,
    done_until text NOT NULL,
    CONSTRAINT person_search_id_check CHECK ((id = 1))
);
CREATE TABLE public.processes (
    id text NOT NULL,
    seen_at bigint NOT NULL,
    report text NOT NULL
);
CREATE TABLE public.reload_requests (
    id bigint NOT NULL,
    request text NOT NULL,
    CONSTRAINT reload_requests_id_check CHECK ((id = 1))
);
CREATE TABLE public.same_leads (
    partner text NOT NULL,
    digest text NOT NULL,
    lead_id text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.schema_compatibility (
    id bigint NOT NULL,
    oldest_server bigint NOT NULL,
    CONSTRAINT schema_compatibility_id_check CHECK ((id = 1))
);
CREATE TABLE public.schema_version (
    version bigint NOT NULL
);
CREATE TABLE public.sealed (
    lead_id text NOT NULL,
    part text NOT NULL,
    data_key bigint NOT NULL,
    blob bytea NOT NULL
);
CREATE TABLE public.spent_proofs (
    nonce text NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.store_mark (
    id bigint NOT NULL,
    mark text NOT NULL,
    place text NOT NULL,
    CONSTRAINT store_mark_id_check CHECK ((id = 1)),
    CONSTRAINT store_mark_mark_check CHECK ((mark = ANY (ARRAY['moved'::text, 'unfinished'::text])))
);
CREATE TABLE public.suppressed (
    digest text NOT NULL,
    scope text NOT NULL,
    since bigint NOT NULL,
    decided_at bigint,
    reason text
);
CREATE TABLE public.unreadable_leads (
    lead_id text NOT NULL,
    met_at bigint NOT NULL
);
CREATE TABLE public.version_requests (
    day bigint NOT NULL,
    version text NOT NULL,
    origin text NOT NULL,
    requests bigint NOT NULL
);
INSERT INTO public.consent_words VALUES ('35309476629edc18124f5c9425b450f773a0517e77ca93493516988e30636dc1', 'With {button}, I agree that Acme Funding may call me about my estimate.');
INSERT INTO public.consent_words VALUES ('5c55c2c4cb6cae9982ccb3f887718ec09daeb655cadf070508faab1428921739', 'With See my estimate, I agree that Acme Funding may call me about my estimate.');
INSERT INTO public.data_keys VALUES (3705438729, 1796113816864);
INSERT INTO public.deliveries VALUES ('01a230b9-de71-7875-a6a8-52a85d45f857', 'crm', 'created', 0, 'waiting', 3, 0, 0, 1796113818971, 0, 'The receiver 127.0.0.1 refused the connection: nothing listens at its address and port (ECONNREFUSED)', NULL, NULL, 1796113817200, 1796113817250, NULL, NULL, '2bea5f53db98113b', NULL);
INSERT INTO public.destination_addresses VALUES ('crm', '2bea5f53db98113b', '127.0.0.1:20807', 1796113817250, 1796113818618);
INSERT INTO public.evidence_keys VALUES ('J1bmhbj6YMhWfGcE6aiUF4s4DsEGuloIBdqd8vi1CL8', 'qceaXOk9roPOqIILxrT_h8nuxVbdB5Tonr4jdOB_it0', 1796113816877);
INSERT INTO public.idempotency_keys VALUES ('partner:birch', '37d5600af47ea1fc03e3b099cdcc0e647e082530f8e6e39d014e09fffec90224', '37187982de56d0d83a92999f833ff201684887a40999357237982a4cf19d779d', '01a230b9-de71-7875-a6a8-52a85d45f857', 1796113817200);
INSERT INTO public.leads VALUES ('01a230b9-de4f-796b-a11d-392186d90d31', 1796113817166, '1001', NULL, 'prequalification', '', NULL, NULL, NULL, 'done', NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.leads VALUES ('01a230b9-de71-7875-a6a8-52a85d45f857', 1796113817200, '1002', 'birch', 'standard', '', NULL, NULL, NULL, 'done', NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.person_search VALUES (1, 3705438729, '\x01dcdc82094b03e752e31cc58c1576edd9c3634f1976ff7763ac21fbfc474046fe39902bd9818ca4b355766e7d8aae64cb9cc8cd96408ec74ab7b802f648e8ffbb57a063fba2340a5ad481e9', '00000000-0000');
INSERT INTO public.schema_compatibility VALUES (1, 17);
INSERT INTO public.schema_version VALUES (17);
INSERT INTO public.sealed VALUES ('01a230b9-de4f-796b-a11d-392186d90d31', 'lead', 3705438729, '\x01dcdc820991eb4784cf1821b69fd06c63bfaa735442db0dc3cabebbae94b278d5e9859156f437dc6f3514c07314949c85fb5b18b647b862906ec1aed8e18cc932d04ac11927b7ba1a20e902ac7fbe9a8948f009cfa06c5b923ddbfd208e35b161132cc9eb056fcae492a79e04634c3ce31cda5334f729533386562692ffd9a993e222a849efdeb37eba37d00c68347d01d2bb537455bf6662d57c313ca27d7537f771973ea708c9f1111bcd8939c726a7a1d1c10d6bd13030d4393b11823ecba29d880adf74b2a303a1a1ec909d3096c9ab3c308d90008c7bbdbb444fb5fef39545f69ea10c7752cd040f40bd7d073e89ae097e0a61d8de321d4fe3eb121ce9ee9e2cf11fe8f3fd98f916c433a5ff1fc5f64d42baa5c3bb14d3b7aaeebecd39202bc9a602ef54fd319f227c511d7b9935948134f3824d8c75e01f9d2f04e62baf8d61f20af1e6a30727822d3588e7a476cb9552e56040e4ad52730ce0aa36b658d4d82e4a81246896f15bfa098972653c09edf55433c615ecc6ec87abfa94e533936a64d2c7189b008ad9396ed3a0ba6db3d08d2f99a64df23099ffbf45999fdf1a268418f93b2ab18ff038f77782541f955144098a6ba774b90b451df7083e4c0f6183bf3a73dbbf90ed1a9d7b02fbb2f9bde57f0853f535acee733e7e9ded0f523e8cf25f62f9cef5f2427dcc55731be5533b725ce82d24af93e536c1026001dc3b6e1fb8');
INSERT INTO public.sealed VALUES ('01a230b9-de71-7875-a6a8-52a85d45f857', 'lead', 3705438729, '\x01dcdc820994fb3406631994ca07a58990e90848d4c925c7c0ee378cc713e35e748a9f34084d0afee5e4c937b4da435c2064a1cefafe349fbcae25573f7eb1120600ae982260ef6778a441ee179c87dae16f38a9b98a01b7592f5346ac1f62b6ec1ef6d5acf8503c5825a05ed5c2857042786d38df159680b637038fc32f859f58892c7f2c6e8593569924a5740c53ba0730a34fb338e80830029ee747cca7ee1244cdbad9ee12838c0b1bd9494b83b646121e60591a141f33f27a2d02ac607775dba66117ba741469418e881f6b0ab5e6fbee9309f79916f0f6ea62e3576f2b29c2273f393033b6732cbe1fd9b044d64fe99263dc1ebc6657cab63b1625adb7766e51cbfde89197ac123933ae67f36c24100c242cbbecafd91be9a55fb9642ae0560285259b84a7f5e8f083515d42e86a7bdee6cec301044591afdf98c61377f68d976dc29cfee7b891581bed8ac97cc8f2998c7a13be2cd3f7028516a6eda7af1effd32e829bab3397c4532856a785f619c21e9b54bb7e40515dc7c46140a6ebd3d10e9aeb85176c3723229828567145c20516e1c0dd');
ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (destination);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.break_ends
    ADD CONSTRAINT break_ends_pkey PRIMARY KEY (destination);
ALTER TABLE ONLY public.confirmations
    ADD CONSTRAINT confirmations_pkey PRIMARY KEY (lead_id);
ALTER TABLE ONLY public.consent_texts
    ADD CONSTRAINT consent_texts_pkey PRIMARY KEY (partner, version);
ALTER TABLE ONLY public.consent_words
    ADD CONSTRAINT consent_words_pkey PRIMARY KEY (text_hash);
ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_pkey PRIMARY KEY (lead_id);
ALTER TABLE ONLY public.context_values
    ADD CONSTRAINT context_values_pkey PRIMARY KEY (name, value, lead_id);
ALTER TABLE ONLY public.data_keys
    ADD CONSTRAINT data_keys_pkey PRIMARY KEY (check_value);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (lead_id, destination, content);
ALTER TABLE ONLY public.destination_addresses
    ADD CONSTRAINT destination_addresses_pkey PRIMARY KEY (destination, address);
ALTER TABLE ONLY public.erasure_requests
    ADD CONSTRAINT erasure_requests_pkey PRIMARY KEY (lead_id);
ALTER TABLE ONLY public.evidence_keys
    ADD CONSTRAINT evidence_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.heartbeat
    ADD CONSTRAINT heartbeat_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (owner, digest);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.lead_days
    ADD CONSTRAINT lead_days_pkey PRIMARY KEY (day, partner);
ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.operator_sessions
    ADD CONSTRAINT operator_sessions_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.operators
    ADD CONSTRAINT operators_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (credential);
ALTER TABLE ONLY public.paused_destinations
    ADD CONSTRAINT paused_destinations_pkey PRIMARY KEY (destination);
ALTER TABLE ONLY public.person_digests
    ADD CONSTRAINT person_digests_pkey PRIMARY KEY (digest, lead_id);
ALTER TABLE ONLY public.person_search
    ADD CONSTRAINT person_search_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.processes
    ADD CONSTRAINT processes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.reload_requests
    ADD CONSTRAINT reload_requests_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.same_leads
    ADD CONSTRAINT same_leads_pkey PRIMARY KEY (partner, digest);
ALTER TABLE ONLY public.schema_compatibility
    ADD CONSTRAINT schema_compatibility_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sealed
    ADD CONSTRAINT sealed_pkey PRIMARY KEY (lead_id, part);
ALTER TABLE ONLY public.spent_proofs
    ADD CONSTRAINT spent_proofs_pkey PRIMARY KEY (nonce);
ALTER TABLE ONLY public.store_mark
    ADD CONSTRAINT store_mark_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.suppressed
    ADD CONSTRAINT suppressed_pkey PRIMARY KEY (digest, scope);
ALTER TABLE ONLY public.unreadable_leads
    ADD CONSTRAINT unreadable_leads_pkey PRIMARY KEY (lead_id);
ALTER TABLE ONLY public.version_requests
    ADD CONSTRAINT version_requests_pkey PRIMARY KEY (day, version, origin);
CREATE INDEX audit_lead ON public.audit USING btree (ids) WHERE (leads = 1);
CREATE INDEX confirmations_address ON public.confirmations USING btree (address, decided_at) WHERE (decision = 'granted'::text);
CREATE INDEX confirmations_network ON public.confirmations USING btree (network, decided_at) WHERE (decision = 'granted'::text);
CREATE INDEX confirmations_network_48 ON public.confirmations USING btree (network_48, decided_at) WHERE (decision = 'granted'::text);
CREATE INDEX confirmations_network_56 ON public.confirmations USING btree (network_56, decided_at) WHERE (decision = 'granted'::text);
CREATE INDEX confirmations_partner ON public.confirmations USING btree (partner, decided_at) WHERE (decision = 'granted'::text);
CREATE INDEX context_values_lead ON public.context_values USING btree (lead_id);
CREATE INDEX deliveries_due ON public.deliveries USING btree (destination, next_attempt_at) WHERE (state = 'waiting'::text);
CREATE INDEX deliveries_open ON public.deliveries USING btree (lead_id, destination, content, state) WHERE (settled_at IS NULL);
CREATE INDEX deliveries_stopped ON public.deliveries USING btree (state, lead_id, destination, content) WHERE ((settled_at IS NULL) AND (state <> 'waiting'::text));
CREATE INDEX idempotency_keys_lead ON public.idempotency_keys USING btree (lead_id);
CREATE INDEX leads_duplicate_of ON public.leads USING btree (duplicate_of) WHERE (duplicate_of IS NOT NULL);
CREATE INDEX leads_overview ON public.leads USING btree (id, partner, status, utm_campaign);
CREATE INDEX leads_reference ON public.leads USING btree (substr(id, 27));
CREATE INDEX leads_supersedes ON public.leads USING btree (supersedes) WHERE (supersedes IS NOT NULL);
CREATE INDEX leads_suppressed ON public.leads USING btree (id) WHERE (suppressed_at IS NOT NULL);
CREATE INDEX operator_sessions_operator ON public.operator_sessions USING btree (operator);
CREATE INDEX passkeys_operator ON public.passkeys USING btree (operator);
CREATE INDEX same_leads_lead ON public.same_leads USING btree (lead_id);
CREATE INDEX sealed_consents ON public.sealed USING btree (lead_id) WHERE (part = 'consent'::text);
ALTER TABLE ONLY public.confirmations
    ADD CONSTRAINT confirmations_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.context_values
    ADD CONSTRAINT context_values_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.same_leads
    ADD CONSTRAINT same_leads_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.sealed
    ADD CONSTRAINT sealed_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
