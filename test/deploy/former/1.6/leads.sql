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
    CONSTRAINT deliveries_content_check CHECK ((content = ANY (ARRAY['lead'::text, 'created'::text, 'answered'::text, 'refused'::text, 'held'::text, 'confirmation'::text, 'erased'::text]))),
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'held'::text, 'refused'::text, 'failed'::text, 'delivered'::text, 'dropped'::text, 'skipped'::text])))
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
    CONSTRAINT leads_status_check CHECK ((status = ANY (ARRAY['done'::text, 'pending'::text, 'refused'::text])))
);
CREATE TABLE public.paused_destinations (
    destination text NOT NULL,
    paused_at bigint NOT NULL,
    reason text NOT NULL
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
INSERT INTO public.data_keys VALUES (0, 1796113808838);
INSERT INTO public.deliveries VALUES ('01a230b9-beea-73d0-9a7d-6b04b7419d0f', 'crm', 'created', 0, 'waiting', 2, 0, 0, 1796113811034, 0, 'The receiver 127.0.0.1 refused the connection: nothing listens at its address and port (ECONNREFUSED)', NULL, NULL, 1796113809130, 1796113809163, NULL, NULL, '2bea5f53db98113b');
INSERT INTO public.idempotency_keys VALUES ('partner:birch', 'a4de1671eb673f1b2d7615634882a9483750d28cc04c68a8c12057556df3b205', '37187982de56d0d83a92999f833ff201684887a40999357237982a4cf19d779d', '01a230b9-beea-73d0-9a7d-6b04b7419d0f', 1796113809130);
INSERT INTO public.leads VALUES ('01a230b9-beb3-736a-82a7-3bb0bd064946', 1796113809075, '1001', NULL, 'prequalification', '{"first_name":"Jane","last_name":"Doe","email":"jane@example.com","phone":{"typed":"202-555-0142","e164":"+12025550142"},"credit_score":"Above 720","bankruptcy":false,"retirement":100000,"cash":38000,"investments":100001}', NULL, NULL, NULL, 'done', 100000, 552000, 150000, 60000, 862000, '{}', '2026-12', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.leads VALUES ('01a230b9-beea-73d0-9a7d-6b04b7419d0f', 1796113809130, '1002', 'birch', 'standard', '{"first_name":"Juan","last_name":"Pérez","email":"juan@example.com","phone":{"typed":"312-555-0199","e164":"+13125550199"}}', NULL, NULL, NULL, 'done', NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.schema_compatibility VALUES (1, 12);
INSERT INTO public.schema_version VALUES (13);
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
ALTER TABLE ONLY public.heartbeat
    ADD CONSTRAINT heartbeat_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (owner, digest);
ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.paused_destinations
    ADD CONSTRAINT paused_destinations_pkey PRIMARY KEY (destination);
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
ALTER TABLE ONLY public.unreadable_leads
    ADD CONSTRAINT unreadable_leads_pkey PRIMARY KEY (lead_id);
ALTER TABLE ONLY public.version_requests
    ADD CONSTRAINT version_requests_pkey PRIMARY KEY (day, version, origin);
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
