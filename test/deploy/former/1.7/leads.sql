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
INSERT INTO public.data_keys VALUES (3705438729, 1796110411860);
INSERT INTO public.destination_addresses VALUES ('crm', '2bea5f53db98113b', '127.0.0.1:20807', 0, 0);
INSERT INTO public.evidence_keys VALUES ('J1bmhbj6YMhWfGcE6aiUF4s4DsEGuloIBdqd8vi1CL8', 'qceaXOk9roPOqIILxrT_h8nuxVbdB5Tonr4jdOB_it0', 1796110411892);
INSERT INTO public.heartbeat VALUES (1, 1796110415925, '0001796110415925');
INSERT INTO public.leads VALUES ('01a23085-f038-7546-adf4-212d55d5893d', 1796110413845, '1001', NULL, 'prequalification', '', NULL, NULL, NULL, 'done', NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.leads VALUES ('01a23085-f18e-749b-8d6a-37b72b77133d', 1796110414222, '1002', NULL, 'standard', '', NULL, NULL, NULL, 'done', NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.person_search VALUES (1, 3705438729, '\x01dcdc8209131d16332fb37a8d58d1a1cd2ede6f2c4de10b4af1221e72c1d00d9d77a89bf41eaba7b8e94f61b9cbad82d4c7f1d9d59e47448315ef86d4d165a0ce3da2a28fd4ecd5100a2628', '00000000-0000');
INSERT INTO public.schema_compatibility VALUES (1, 17);
INSERT INTO public.schema_version VALUES (17);
INSERT INTO public.sealed VALUES ('01a23085-f038-7546-adf4-212d55d5893d', 'lead', 3705438729, '\x01dcdc82090bbe67885f043948bc6abb603ad79bd862f72e69c79c8e633d223418fcf38068790d1712dfca0fecf1573eb47b795351f2133fb2a8ab8cdc701728861814d5c85a483ef4b5de8bc0f6a78c21eac2e417f913a0c37d50336b63ebedbc7e47d5cadac1ad116e04429f9b29aa4677b98cee9c9d1ce9931edc8c3bf6b9d906a94d9bb1c7128d6a64e71748f048a929c8a660b49c1578f9cc20764585a7f22326d8c97d6dbd882fa56e2caad1850510f816b6d4742f0b73c2f55d02323391698804bddfce8aca5d85800e83b5ac1ead43df6a8876e0213f95500bf51f5dd3fe2a3f649d41f5821286e48dc8446adb3b8ac4f6ae3ea3d4746c9206333226a98e0cac2333ce7b9cda3aad9b9c7873885a0055758c6b146de695da400237ba2ef08a40199adcfb3cb2a8f47c4e2aec933e4cd4c278b048c6d69ba1ea182e756022f10926720e1df1262f2e5d97af86636b05f0363ae05f7c4f7e672d0a21eccce2dac4717d52dacdbeb09c371d09126f3d06e0cc19305ed7307ee0a5d430cf0d21a50855b0626d95f3950e8132e47ae0eca8ebfb5a63ab4f168ed9bfc8510ef1d7e79e26ea8a3d3c94253a5f1d840b80f1005708ea6b712bd33e6ac206c59a0a3a136fc9b93a91788b7752159744fabd8ee9abdb95dc9617c9209ae34dc231e0d52ba52d9da305c76e912aa3d42ea73cec1c97916526bb2c0663e76513d99002db0dd486f6');
INSERT INTO public.sealed VALUES ('01a23085-f18e-749b-8d6a-37b72b77133d', 'lead', 3705438729, '\x01dcdc8209196ef74e4a7480233ba77bbd9748fe8e29021aeaca239ef8afced1f7808292a04886d925b9155c3ab77ff1d03a177202c0862c9aa76a475030b2818a84dc00cbf426d1221f1b92b5de79400e962c04b7a0ec23f20e5c87c07ab8dd06fdc1411318ec023e0a290095b109d49feda78192ee1fc8202afe98bb1d0d462304407c4b50f9247d2dffd955c26cd08475efafe918a56595c5a5c8c890eb53290cfd8224c9f2fa8e11156aa64cf5cfa899c98e03e8eefd7ebf707810d2dc20efe9046475a9f5a29b57e05f049e03571594aa81ad3940d5f3311722f7e34d3ce9a795fadbd8da1360d2b0c03d4997b23c0f6f5992dc176a357d1e764f98c47de9dfb2d9ae178080b8e79714dd7a8d36e2fe43d6a4e80e5166e4cba690b171f951161303b9305b496ddb2a8e989c417b98624497b00418bee2e660470ec66f034e916a9499bf87f1cd9ed87068485c2748f2eb6b3947dad72113767fc929c04b49b1efcf6e05ac1a759d6d605631ce8a180bad9cc882aeafd61f5ab08dab643f5c3a9635f1632cc2395d7fda66c637a465ddc49bb3a177');
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
