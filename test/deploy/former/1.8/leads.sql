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
CREATE TABLE public.audit_leads (
    lead_id text NOT NULL,
    id text NOT NULL
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
CREATE TABLE public.erasures_file (
    id bigint NOT NULL,
    known_until bigint NOT NULL,
    CONSTRAINT erasures_file_id_check CHECK ((id = 1))
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
    mailbox_stopped_at bigint,
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
    reason text NOT NULL,
    is_gone bigint
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
CREATE TABLE public.stops (
    id text NOT NULL,
    kind text NOT NULL,
    digest text NOT NULL,
    scope text NOT NULL,
    lead_id text,
    asked_at bigint NOT NULL,
    entered_at bigint NOT NULL,
    way text,
    reason text,
    CONSTRAINT stops_kind_check CHECK ((kind = ANY (ARRAY['stop'::text, 'ask'::text, 'allow'::text])))
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
    reason text,
    kind text,
    asked_at bigint,
    CONSTRAINT suppressed_kind_check CHECK ((kind = ANY (ARRAY['number'::text, 'both'::text, 'mailbox'::text])))
);
CREATE TABLE public.troubles (
    name text NOT NULL,
    title text NOT NULL,
    began_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    told bigint NOT NULL,
    due_at bigint NOT NULL,
    last_error text
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
INSERT INTO public.data_keys VALUES (3705438729, 1796110444971);
INSERT INTO public.destination_addresses VALUES ('crm', '2bea5f53db98113b', '127.0.0.1:20807', 0, 0);
INSERT INTO public.evidence_keys VALUES ('J1bmhbj6YMhWfGcE6aiUF4s4DsEGuloIBdqd8vi1CL8', 'qceaXOk9roPOqIILxrT_h8nuxVbdB5Tonr4jdOB_it0', 1796110445043);
INSERT INTO public.leads VALUES ('01a23086-6f60-7700-ae2d-eb56d52ef40a', 1796110446397, '1001', NULL, 'prequalification', '', NULL, NULL, NULL, 'done', NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.leads VALUES ('01a23086-7101-7c69-aa65-2064237c87de', 1796110446849, '1002', NULL, 'standard', '', NULL, NULL, NULL, 'done', NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.person_search VALUES (1, 3705438729, '\x01dcdc8209b796304919cbfcc92991fadcefe63b204a13a5de89b11099eea2b106c482924494b5b49c7bcef6412d34ece8a1ee25579ec370ee152d4341ac009442be472d2841f0ff3aec4952', '00000000-0000');
INSERT INTO public.schema_compatibility VALUES (1, 17);
INSERT INTO public.schema_version VALUES (19);
INSERT INTO public.sealed VALUES ('01a23086-6f60-7700-ae2d-eb56d52ef40a', 'lead', 3705438729, '\x01dcdc8209a5eb904d8841ad872eaee8f0bd2f2c3270cbfcf18d9f80c6c478cf90643254cc7bceba95d8b56854b09156c5b2ea0d5352ef3b1adc547838e78d13568c74bddee299761f529284fe7002cbea5c75986e33d08e7cc88bdffe89546d22537c16fea096164e3ad15c919c29f503fa0f64af4dd6858b421dc551b22945e829e3afaabc8ff2781f187c695dc222735b0ad7b3496e82e2c18ec075af7601429181ab7c88fd854aee0023f49b5964b8308d7e0131d7aecf1c38daec8d1304d85ca6cc280fe875ab0d59d77d07a6466cfb8c77053223f8f7746135135c343bb8c2b126ee9a6352c72c1891517b23e429e17e4f021f4fa9ed378d2683ffe2ecf112cdcac7fe4ecbba079726bfa7ff5d98918862a8119afbf39395d9ea9a1f23ec2f357588a792f0adb0fae4606a8236725500c7ee713e5e9603dc1a8679eb96ae1fb67df11d0d48787a6c88ab1d4cb0d5d80d231ad9de3c19be0d39862a1b2fb9932226aeea723a92c7c5371489b1b2a241aca23d2e904445edaf6e90d01c40de814cb8ed0a7b716e774a1ea9dd4135c4891d38aa8ef767b1e73637b8c1c3ea163271e1197fd065713c974bbc75310b75000cef03f5dec09229331de5cd2300b1cd2e66de4d5741fd9ecc787c17718a97069636f6bee82e5b3637e5b70da93b8e1f8d2ad91a006a269ef4a0c18178607642f10ce24d095db267f34147c75a49bd6993a98ab8');
INSERT INTO public.sealed VALUES ('01a23086-7101-7c69-aa65-2064237c87de', 'lead', 3705438729, '\x01dcdc8209055e7b8075bd544b67c2ef27698277795cd30a047f1e4ba58de4ffb19496a86cf195c314704f3e2a1abc94e4db77cae366c31e59574de7a723d1a92461c14781102e6f3c651df9e63afa1808e9fed164e22132fae121ea96fb74388af45b7d4c37bce56dd13df36f71fe94d62c01571af7beee6377ca38b061c7114c68d75d618c96a25e27710b45a6d12f7191016eaf508c373b91a9470f7be20d7afcb3f94ea06855360b4a79c6d9b3acce094ea1d70804e81c53cca4f640bc642f6b28c2e0c3db08801255fb3efd6cc6cdc19fc4adba3a3114e406bcc5f4f2a340c1a9f64e4135400a0f6f6120779f7b5161e64b38545e358e1e34f38d122b8d1d6b3518599af2983f3c6fad2bfa814c8cf31a140cf06e81585e935cc6941710c10797df1ede7063443ad5525d1daf667f69bcee367f38bab13e8613726abe171146b10a339b17f8cee07715545c0ee5578081e9a78f39e7d84a298434cf205e46d2a6468e9398797517b0c6585c3c6042daad153488d5dd76b74b47b2c15b2d0a139f7340dbdf33c4ea5eeb0ca474d1aad48f70cf162e');
ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (destination);
ALTER TABLE ONLY public.audit_leads
    ADD CONSTRAINT audit_leads_pkey PRIMARY KEY (lead_id, id);
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
ALTER TABLE ONLY public.erasures_file
    ADD CONSTRAINT erasures_file_pkey PRIMARY KEY (id);
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
ALTER TABLE ONLY public.stops
    ADD CONSTRAINT stops_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.store_mark
    ADD CONSTRAINT store_mark_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.suppressed
    ADD CONSTRAINT suppressed_pkey PRIMARY KEY (digest, scope);
ALTER TABLE ONLY public.troubles
    ADD CONSTRAINT troubles_pkey PRIMARY KEY (name);
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
CREATE INDEX deliveries_stops ON public.deliveries USING btree (destination, next_attempt_at) WHERE ((settled_at IS NULL) AND (content = ANY (ARRAY['erased'::text, 'revoked'::text])));
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
CREATE INDEX stops_digest ON public.stops USING btree (digest);
CREATE INDEX stops_lead ON public.stops USING btree (lead_id) WHERE (lead_id IS NOT NULL);
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
